/** A trial whose load has begun under a coordinator that is gone, as its journal and its workers tell of it. */
import type { JournalRecord, TrialStartedRecord } from './journal-records.ts';
import type { Registry } from './registry.ts';

export interface BegunTrial {
  started: TrialStartedRecord;
  /** What is in the journal of it, in order. */
  records(): AsyncIterable<JournalRecord>;
}

/**
 * The clock of the coordinator that is gone was another one, but those of the workers have gone on: a worker's own start
 * instant, less its offset from this coordinator's clock. The best known one counts.
 * @returns the start instant on this coordinator's clock, µs; as the journal has it where no worker is there to ask
 */
export function startOnThisClock({ startUs, shards }: TrialStartedRecord, registry: Registry): number {
  let best = { startUs, uncertaintyUs: Number.POSITIVE_INFINITY };
  for (const { worker, instance, clockOffsetUs, clockUncertaintyUs } of shards) {
    const session = registry.get(worker);
    if (session === undefined || session.hello.instance !== instance) continue;
    const now = session.clockOffset();
    const uncertaintyUs = clockUncertaintyUs + now.uncertaintyUs;
    if (uncertaintyUs < best.uncertaintyUs)
      best = { startUs: startUs + clockOffsetUs - now.offsetUs, uncertaintyUs };
  }
  return best.startUs;
}
