/**
 * Whether an entity is what was expected, found out while it passes by: nothing of it is kept but the few bytes in
 * which a text can begin that ends in the next piece.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Expectation } from '../../../shared/domain/run.ts';

/** For one reply. */
export class BodyCheck {
  private readonly search: Search | null;
  private readonly hash: Hash | null;
  private readonly expect: Expectation;

  constructor(expect: Expectation) {
    this.expect = expect;
    this.search = expect.contains === undefined ? null : new Search(Buffer.from(expect.contains));
    this.hash = expect.sha256 === undefined ? null : createHash('sha256');
  }

  static isNeeded(expect: Expectation): boolean {
    return expect.contains !== undefined || expect.sha256 !== undefined;
  }

  /** The next bytes of the entity; they may be overwritten afterwards. */
  feed(bytes: Uint8Array, from: number, to: number): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    this.hash?.update(piece);
    this.search?.feed(piece);
  }

  /** The entity is whole. @returns what is wrong with it, if anything */
  problem(): string | undefined {
    if (this.search !== null && !this.search.found) {
      return `a body without ${JSON.stringify(this.expect.contains)}`;
    }
    const sha256 = this.hash?.digest('hex');
    return sha256 === this.expect.sha256
      ? undefined
      : `a body with sha256 ${sha256}, expected ${this.expect.sha256}`;
  }
}

class Search {
  found = false;
  private readonly text: Buffer;
  /** The last bytes so far, one fewer than the text has. */
  private last: Buffer = Buffer.alloc(0);

  constructor(text: Buffer) {
    this.text = text;
  }

  feed(piece: Buffer): void {
    if (this.found) return;
    const overlap = this.text.length - 1;
    const border = Buffer.concat([this.last, piece.subarray(0, overlap)]);
    this.found = border.includes(this.text) || piece.includes(this.text);
    // Both are copies: what was read is overwritten by the next read.
    const end = piece.length < overlap ? border : piece;
    this.last = Buffer.from(end.subarray(Math.max(0, end.length - overlap)));
  }
}
