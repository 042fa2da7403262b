/** The samples of a thread by the request's name: what splits the report where a scenario has several requests. */
import type { ErrorClass } from '../shared/metrics/error-class.ts';
import { Histogram, type HistogramSnapshot } from '../shared/metrics/histogram.ts';
import type { RequestCounts } from '../shared/metrics/interval.ts';

export type ThreadRequestInterval = RequestCounts & { latency?: HistogramSnapshot };

interface Entry {
  name: string;
  counts: RequestCounts;
  latency: Histogram;
}

export class RequestRecorder {
  /** By request; those that share a name share an entry. */
  private readonly entries: Entry[];
  private readonly named: Entry[];

  /** @param names in the engine's order */
  constructor(names: readonly string[]) {
    const byName = new Map<string, Entry>();
    for (const name of names) {
      if (!byName.has(name)) byName.set(name, { name, counts: emptyCounts(), latency: new Histogram() });
    }
    this.entries = names.map((name) => byName.get(name)!);
    this.named = [...byName.values()];
  }

  completed(request: number, latencyUs: number): void {
    const { counts, latency } = this.entries[request]!;
    counts.completed++;
    latency.record(latencyUs);
  }

  failed(request: number, errorClass: ErrorClass): void {
    const { counts } = this.entries[request]!;
    counts.failed++;
    counts.errors[errorClass] = (counts.errors[errorClass] ?? 0) + 1;
  }

  /** What has gathered since the last call, undefined when nothing has; everything starts again from zero. */
  take(): Record<string, ThreadRequestInterval> | undefined {
    const taken: [string, ThreadRequestInterval][] = [];
    for (const entry of this.named) {
      const { name, counts, latency } = entry;
      if (counts.completed + counts.failed === 0) continue;
      taken.push([name, latency.count === 0 ? counts : { ...counts, latency: latency.snapshot() }]);
      entry.counts = emptyCounts();
      latency.reset();
    }
    return taken.length === 0 ? undefined : Object.fromEntries(taken);
  }
}

function emptyCounts(): RequestCounts {
  return { completed: 0, failed: 0, errors: {} };
}
