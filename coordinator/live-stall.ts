/** How long the target has been silent, second by second, while the trial runs. */
import type { TrialPlan } from '../shared/domain/run.ts';
import type { Interval } from '../shared/metrics/interval.ts';
import { isSilent, type Stall } from '../shared/metrics/stall.ts';

const SHORTEST_LIMIT_US = 10_000_000;

/** Where the scenario does not say: to wait for a reply as long as it may take is no stall. */
export function longestStallUs({ requests }: Pick<TrialPlan, 'requests'>): number {
  return Math.max(SHORTEST_LIMIT_US, ...requests.map(({ timeoutUs }) => timeoutUs));
}

/** What is kept of a second that is not in from everybody. */
interface Parts {
  shards: number;
  completed: number;
  failed: number;
  status: Record<string, number>;
  inFlight: number;
}

export class LiveStall {
  private readonly longestUs: number;
  private readonly waiting = new Map<number, Parts>();
  private nextSecond = 0;
  private seconds = 0;

  /** @param longestUs how long a stall may be */
  constructor(longestUs: number) {
    this.longestUs = longestUs;
  }

  /**
   * @param shards how many are still at work: a second is whole when it is in from all of them
   * @returns the stall that has lasted too long, with the requests in flight
   */
  add(interval: Interval, shards: number): (Stall & { inFlight: number }) | undefined {
    if (interval.second < this.nextSecond) return undefined;
    this.gather(interval);
    for (;;) {
      const parts = this.waiting.get(this.nextSecond);
      if (parts === undefined || parts.shards < shards) return undefined;
      this.waiting.delete(this.nextSecond);
      this.nextSecond++;
      this.seconds = isSilent(parts, parts.inFlight) ? this.seconds + 1 : 0;
      if (this.seconds * 1e6 < this.longestUs || this.seconds === 0) continue;
      return {
        fromSecond: this.nextSecond - this.seconds,
        seconds: this.seconds,
        inFlight: parts.inFlight,
      };
    }
  }

  private gather({ second, completed, failed, status, inFlight }: Interval): void {
    const known = this.waiting.get(second) ?? { shards: 0, completed: 0, failed: 0, status: {}, inFlight: 0 };
    this.waiting.set(second, {
      shards: known.shards + 1,
      completed: known.completed + completed,
      failed: known.failed + failed,
      status: { ...known.status, ...status },
      inFlight: known.inFlight + inFlight,
    });
  }
}
