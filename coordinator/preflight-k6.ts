/** Preflight of scripts: what a worker's k6 lacks for them. Pure. */
import type { K6Requirements } from '../shared/domain/k6-plan.ts';
import { type K6Facts, lacks } from '../shared/domain/k6-requirements.ts';
import type { Finding } from './preflight.ts';

export interface ScriptNeeds {
  /** Of each of the run's scripts. */
  requires: readonly K6Requirements[];
  /** Whether there are cells besides, which a worker can take part in without k6. */
  others: boolean;
}

/** Nothing where no script is to be run. */
export function judgeK6(
  worker: string,
  k6: K6Facts | undefined,
  { requires, others }: ScriptNeeds,
): Finding[] {
  if (requires.length === 0) return [];
  const missing = [...new Set(requires.flatMap((one) => lacks(k6, one)))];
  if (missing.length === 0) return [{ worker, check: 'k6', level: 'good', message: `k6 ${k6?.version}` }];
  return [
    {
      worker,
      check: 'k6',
      level: others ? 'warning' : 'error',
      message: `lacks ${missing.join(' and ')}, and takes no part in ${others ? 'cells with a script' : 'the script'}`,
      remedy: 'worker start --k6 PATH, or $K6_BIN, or k6 in the PATH',
    },
  ];
}
