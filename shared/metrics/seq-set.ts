/** Which numbers have come, when they come nearly in order: all below `next`, and the few `ahead` of it. */
export class SeqSet {
  private next = 0;
  private readonly ahead = new Set<number>();

  has(seq: number): boolean {
    return seq < this.next || this.ahead.has(seq);
  }

  add(seq: number): void {
    this.ahead.add(seq);
    while (this.ahead.delete(this.next)) this.next++;
  }
}
