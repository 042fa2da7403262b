/** What of one shard or host is in the journal: a run has too many intervals to keep something of each. */
import { SeqSet } from '../shared/metrics/seq-set.ts';

export interface Arrived {
  /** Of what is numbered. */
  seqs: SeqSet;
  /** Of what comes once. */
  once: Set<string>;
}

export function noneArrived(): Arrived {
  return { seqs: new SeqSet(), once: new Set() };
}
