/** An engine on virtual time, whose requests take as long as a test says. It fails on what no engine has to bear. */
import assert from 'node:assert/strict';
import type { Engine } from '../../worker/engine/engine.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface Fired {
  slot: number;
  intendedUs: number;
  atUs: number;
}

export class FakeEngine implements Engine {
  readonly fired: Fired[] = [];
  readonly released: { slot: number; atUs: number }[] = [];
  inFlight = 0;
  onFree: (slot: number) => void = () => {};
  private readonly time: VirtualTime;
  private readonly busy = new Set<number>();
  private readonly slots: number;
  private readonly takesUs: (request: number) => number;

  /** @param takesUs of the n-th request, from 0 */
  constructor(time: VirtualTime, slots: number, takesUs: (request: number) => number) {
    this.time = time;
    this.slots = slots;
    this.takesUs = takesUs;
  }

  fire(slot: number, intendedUs: number): void {
    assert.ok(slot >= 0 && slot < this.slots, `there is no slot ${slot}`);
    assert.ok(!this.busy.has(slot), `slot ${slot} is busy`);
    this.busy.add(slot);
    this.inFlight++;
    const { nowUs } = this.time;
    this.time.at(nowUs + this.takesUs(this.fired.length), () => {
      this.busy.delete(slot);
      this.inFlight--;
      this.onFree(slot);
    });
    this.fired.push({ slot, intendedUs, atUs: nowUs });
  }

  release(slot: number): void {
    assert.ok(slot >= 0 && slot < this.slots, `there is no slot ${slot}`);
    assert.ok(!this.busy.has(slot), `slot ${slot} is busy`);
    this.released.push({ slot, atUs: this.time.nowUs });
  }

  close(): void {}
}
