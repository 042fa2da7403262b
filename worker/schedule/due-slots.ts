/** Slots by the time at which they are due, earliest first: a binary heap in two typed arrays. */
export class DueSlots {
  size = 0;
  private readonly dueUs: Float64Array;
  private readonly slots: Uint32Array;

  /** @param capacity the most that are in it at a time */
  constructor(capacity: number) {
    this.dueUs = new Float64Array(capacity);
    this.slots = new Uint32Array(capacity);
  }

  /** When the first is due; Infinity when there is none. */
  get firstUs(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : this.dueUs[0]!;
  }

  add(slot: number, dueUs: number): void {
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.dueUs[parent]! <= dueUs) break;
      this.move(parent, at);
      at = parent;
    }
    this.put(at, slot, dueUs);
  }

  /** Takes out the first one; there is one. */
  take(): number {
    const first = this.slots[0]!;
    const last = --this.size;
    const dueUs = this.dueUs[last]!;
    let at = 0;
    for (let child = 1; child < last; child = 2 * at + 1) {
      if (child + 1 < last && this.dueUs[child + 1]! < this.dueUs[child]!) child++;
      if (this.dueUs[child]! >= dueUs) break;
      this.move(child, at);
      at = child;
    }
    this.put(at, this.slots[last]!, dueUs);
    return first;
  }

  private move(from: number, to: number): void {
    this.put(to, this.slots[from]!, this.dueUs[from]!);
  }

  private put(at: number, slot: number, dueUs: number): void {
    this.slots[at] = slot;
    this.dueUs[at] = dueUs;
  }
}
