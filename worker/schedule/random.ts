/**
 * Random numbers that a seed fixes: the same seed and stream give the same numbers on every machine. The generator is
 * Chris Doty-Humphrey's sfc32 (PractRand, public domain), seeded as there with three words; many streams share one
 * array, 16 bytes a stream.
 */

const WORDS = 4;
/** PractRand discards as many after seeding with three words. */
const WARMING = 15;

export class RandomStreams {
  private readonly state: Uint32Array;

  /**
   * @param seed a whole number from 0 to 2^53 − 1
   * @param streams the numbers of the streams, each below 2^32
   */
  constructor(seed: number, streams: readonly number[]) {
    this.state = new Uint32Array(streams.length * WORDS);
    streams.forEach((stream, i) => {
      this.state.set([seed % 2 ** 32, Math.floor(seed / 2 ** 32), stream, 1], i * WORDS);
      for (let n = 0; n < WARMING; n++) this.word(i);
    });
  }

  /** The next number of the i-th stream: 0 ≤ u < 1, with 53 random bits. */
  uniform(i: number): number {
    const high = this.word(i) >>> 5;
    return (high * 2 ** 26 + (this.word(i) >>> 6)) / 2 ** 53;
  }

  /** ln(1 − u): its negative is exponentially distributed with mean 1, and finite. */
  logUniform(i: number): number {
    return Math.log(1 - this.uniform(i));
  }

  private word(i: number): number {
    const { state } = this;
    const at = i * WORDS;
    const b = state[at + 1]!;
    const c = state[at + 2]!;
    const sum = (state[at]! + b + state[at + 3]!++) >>> 0;
    state[at] = b ^ (b >>> 9);
    state[at + 1] = c + (c << 3);
    state[at + 2] = ((c << 21) | (c >>> 11)) + sum;
    return sum;
  }
}
