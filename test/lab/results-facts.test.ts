import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Report, ReportTrial } from '../../coordinator/report/schema.ts';
import { ROOT } from '../support/cli.ts';
import { ceilingTable, errorLines, limitLines, sharesTable } from './results-facts.ts';

const GOLDEN = path.join(ROOT, 'test', 'coordinator', 'report', 'golden', 'closed.json');
const closed = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Report;

/** The golden report's trial, again and again, each time with something changed. */
function reportOf(...changes: Partial<ReportTrial>[]): Report {
  return { ...closed, trials: changes.map((change) => ({ ...closed.trials[0]!, ...change })) };
}

const verdict = (limit: 'network' | 'target', evidence: string): ReportTrial['verdict'] => ({
  limit,
  evidence: [evidence],
});

describe('facts of a page of results', () => {
  test('limits, the most frequent first, each kind of evidence once, with the cell of the first', () => {
    const report = reportOf(
      { cell: { size: '1MiB' }, verdict: verdict('network', 'eth0 of worker-1 at 97.1 %') },
      { cell: { size: '4KiB' }, verdict: verdict('target', 'a core at 99 %') },
      { cell: { size: '8MiB' }, verdict: verdict('network', 'eth0 of worker-2 at 98.0 %') },
      { cell: { size: '9MiB' }, verdict: verdict('network', 'drops') },
    );
    assert.deepEqual(limitLines(report), [
      '- **network**: 3 of 4 trials',
      '  - 2 times, the first, at size=1MiB: eth0 of worker-1 at 97.1 %',
      '  - once, at size=9MiB: drops',
      '- **target**: 1 of 4 trials',
      '  - once, at size=4KiB: a core at 99 %',
    ]);
  });

  test('each worker’s part of all requests, beside what it should be', () => {
    const [worker] = closed.trials[0]!.workers;
    const workers = (a: number, b: number): Partial<ReportTrial> => ({
      summary: { ...closed.trials[0]!.summary, requests: a + b },
      workers: [a, b].map((requests, i) => ({
        ...worker!,
        ...{ name: `w${i + 1}`, requests, share: requests / (a + b), expectedShare: 0.5 },
        clockUncertaintyUs: 100 * (i + 1),
      })),
    });
    assert.deepEqual(sharesTable(reportOf(workers(60, 40), workers(150, 150))).slice(2), [
      '| w1 | 2 | 210 | 52.5 % | 50.0 % | ×1.00 to ×1.20 | ± 0.10 ms |',
      '| w2 | 2 | 190 | 47.5 % | 50.0 % | ×0.80 to ×1.00 | ± 0.20 ms |',
    ]);
  });

  test('errors by class with the first of each, and trials that did not finish', () => {
    const { summary } = closed.trials[0]!;
    const errors: ReportTrial['summary']['errors'] = {
      total: 3,
      byClass: { reset: 3 },
      first: [{ class: 'reset', message: 'the target reset the connection', atUs: 5, worker: 'w1' }],
    };
    const report = reportOf(
      { cell: { size: '1MiB' }, round: 2, summary: { ...summary, requests: 7, errors } },
      {
        ...{ cell: { size: '4KiB' }, round: 1, state: 'dnf', dnf: { reason: 'no reply', firstErrors: [] } },
        summary: { ...summary, requests: 0, errors: { total: 0, byClass: {}, first: [] } },
      },
    );
    const [first, ...rest] = errorLines(report);
    assert.match(first!, /^- \*\*Errors\*\*: 3 failed; 7 requests completed, in 2 trials$/);
    assert.deepEqual(rest, [
      '  - reset 3; the first at size=1MiB, round 2: the target reset the connection',
      '- **dnf**: size=4KiB, round 1: no reply',
    ]);
  });

  test('what the link allows, and how much of it was reached; nothing where that is not known', () => {
    const wire = (reached: number) =>
      ({
        links: [],
        ceiling: { requestRate: 356.2, body: 356.2 * 32_768, reached },
      }) as unknown as NonNullable<ReportTrial['wire']>;
    assert.deepEqual(ceilingTable(reportOf({ wire: wire(0.971) }, { wire: wire(0.5) })).slice(2), [
      '| all | 356.2 | 11398 | 50.0 % to 97.1 % |',
    ]);
    assert.deepEqual(ceilingTable(reportOf({})), []);
  });
});
