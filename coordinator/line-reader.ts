/**
 * Bytes → lines, each as a part of one buffer that is used again and again: a journal has hundreds of megabytes. Only a
 * line feed ends a line; JSON may hold every other character that some would take for one (U+2028).
 */

const PIECE_BYTES = 1 << 20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Without its end. */
export interface Line {
  bytes: Buffer;
  from: number;
  to: number;
  /** From 1. */
  number: number;
}

export function textOf({ bytes, from, to }: Line): string {
  return bytes.toString('utf8', from, to);
}

export class LineReader {
  private buffer: Buffer = Buffer.allocUnsafe(PIECE_BYTES);
  /** Bytes of a line that has not ended, at the beginning of the buffer. */
  private held = 0;
  private taken = 0;
  private number = 0;

  /** Where the next bytes belong: behind `offset`, at least one of them. */
  room(): { buffer: Buffer; offset: number } {
    this.buffer.copy(this.buffer, 0, this.taken, this.held);
    this.held -= this.taken;
    this.taken = 0;
    if (this.held === this.buffer.length) {
      this.buffer = Buffer.concat([this.buffer, Buffer.allocUnsafe(this.buffer.length)]);
    }
    return { buffer: this.buffer, offset: this.held };
  }

  /** The lines that are whole now; to be gone through before there is room again. */
  *take(bytes: number): Generator<Line> {
    this.held += bytes;
    const filled = this.buffer.subarray(0, this.held);
    for (
      let end = filled.indexOf(LINE_FEED, this.taken);
      end >= 0;
      end = filled.indexOf(LINE_FEED, this.taken)
    ) {
      const from = this.taken;
      this.taken = end + 1;
      yield this.line(from, end);
    }
  }

  /** What is left at the end: a line without its end, or none. */
  *rest(): Generator<Line> {
    if (this.taken < this.held) yield this.line(this.taken, this.held);
  }

  private line(from: number, end: number): Line {
    const to = end > from && this.buffer[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    this.number++;
    return { bytes: this.buffer, from, to, number: this.number };
  }
}
