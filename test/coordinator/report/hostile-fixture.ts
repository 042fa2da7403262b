/** A run in which every text that a stranger may choose tries to be more than a text. */
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import {
  CLOSED,
  failures,
  runEnded,
  runRecord,
  samples,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';

export const HOSTILE_NAME =
  '=HYPERLINK("http://x") | <script>alert(1)</script> *b* `c` &amp; \u0000\u001b[2J]]>';
export const HOSTILE_CELLS = [
  { target: '@SUM(1+1)*cmd|calc', 'si|ze"': '"><img src=x onerror=alert(1)>,\nb' },
  { target: '+a_b_ [l](javascript:x)', 'si|ze"': '-2+3 ~x~ \\' },
];
const MESSAGE = '</td></svg><script>alert(2)</script>\u0000\ud800 | x\n# y';

export function hostileRun(): JournalRecord[] {
  const plans = HOSTILE_CELLS.map((cell, i) => {
    const plan = trialPlan(i, CLOSED, cell);
    return { ...plan, requests: plan.requests.map((one) => ({ ...one, name: HOSTILE_NAME })) };
  });
  const failed = failures(200, 5_000).map((sample) => ({
    ...sample,
    error: { class: 'reset' as const, message: MESSAGE, atUs: 5_000 },
  }));
  return [
    runRecord(plans, {
      name: HOSTILE_NAME,
      report: [{ rows: 'si|ze"', columns: 'target', metric: 'p(99)', unit: 'ms' }],
      thresholds: [{ that: 'p(99) < 1ms', abort: false, afterUs: 0 }],
    }),
    ...plans.flatMap((plan, i) =>
      trialRecords(plan, [
        {
          worker: `w<${i}>|=1`,
          connections: 3,
          planned: 300,
          seconds: [samples(100, 3, 7), i === 0 ? samples(200, 0, 9) : failed, i === 0 ? [] : [failed[0]!]],
        },
      ]),
    ),
    runEnded({ state: 'failed', reason: MESSAGE }),
  ];
}
