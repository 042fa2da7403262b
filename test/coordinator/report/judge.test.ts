import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeTrial, verdictOf } from '../../../coordinator/report/judge.ts';
import type { FirstError } from '../../../shared/metrics/error-class.ts';
import type { LatencySummary } from '../../../shared/metrics/summary.ts';

const refused: FirstError = { class: 'connect-refused', message: 'ECONNREFUSED', atUs: 12, worker: 'w1' };

describe('whether a trial counts', () => {
  const rows: [
    why: string,
    completed: number,
    failed: number,
    reason: RegExp | undefined,
    errorRatio?: number,
  ][] = [
    ['all completed', 10, 0, undefined],
    ['half failed: still more than nothing', 5, 5, undefined],
    ['more than half failed', 4, 6, /^60\.0 % of the requests failed \(6 of 10\)$/],
    ['none completed', 0, 3, /^no request completed, 3 failed$/],
    ['nothing finished at all', 0, 0, /^no request completed$/],
    ['nothing may fail', 99, 1, /^1\.0 % of the requests failed \(1 of 100\)$/, 0],
    ['anything may fail', 1, 99, undefined, 1],
    ['anything may fail, but not everything', 0, 99, /^no request completed, 99 failed$/, 1],
  ];
  for (const [why, completed, failed, reason, errorRatio = 0.5] of rows) {
    test(why, () => {
      const judged = judgeTrial({ completed, failed }, [refused], { errorRatio });
      if (reason === undefined) return assert.deepEqual(judged, { state: 'completed' });
      assert.ok(judged.state === 'dnf');
      assert.match(judged.reason, reason);
      assert.deepEqual(judged.firstErrors, [refused]);
    });
  }
});

describe('what limited a trial', () => {
  const rows: [
    why: string,
    errors: Parameters<typeof verdictOf>[0]['errors'],
    workers: { name: string; cpu?: number; threadCpu?: number; threads: number }[],
    limit: string,
    evidence: RegExp,
  ][] = [
    [
      'idle workers prove nothing',
      { total: 0, byClass: {}, first: [] },
      [{ name: 'w1', cpu: 0.4, threads: 1 }],
      'undecided',
      /used 40 %/,
    ],
    [
      'no worker told',
      { total: 0, byClass: {}, first: [] },
      [{ name: 'w1', threads: 1 }],
      'undecided',
      /no worker told/,
    ],
    [
      'a full thread',
      { total: 0, byClass: {}, first: [] },
      [{ name: 'w1', cpu: 0.97, threads: 1 }],
      'generator',
      /w1 kept 0\.97/,
    ],
    [
      'a full thread in a process that does more',
      { total: 0, byClass: {}, first: [] },
      [{ name: 'w1', cpu: 1.2, threadCpu: 0.6, threads: 1 }],
      'undecided',
      /60 %/,
    ],
    [
      'one core of four threads',
      { total: 0, byClass: {}, first: [] },
      [{ name: 'w1', cpu: 1, threads: 4 }],
      'undecided',
      /25 %/,
    ],
    [
      'out of ports',
      { total: 9, byClass: { 'local-ports': 8, reset: 1 }, first: [] },
      [],
      'generator',
      /8 of 9 .*local-ports 8/,
    ],
    [
      'a few of its own',
      { total: 9, byClass: { 'local-fds': 1, reset: 8 }, first: [] },
      [],
      'undecided',
      /not observed/,
    ],
  ];
  for (const [why, errors, workers, limit, evidence] of rows) {
    test(why, () => {
      const verdict = verdictOf({ errors, durationUs: 10_000_000 }, workers);
      assert.equal(verdict.limit, limit);
      assert.match(verdict.evidence.join('\n'), evidence);
    });
  }

  test('a full thread in less than a second is the start of the process, not the load', () => {
    const verdict = verdictOf({ errors: { total: 0, byClass: {}, first: [] }, durationUs: 900_000 }, [
      { name: 'w1', cpu: 2.5, threads: 1 },
    ]);
    assert.equal(verdict.limit, 'undecided');
    assert.match(verdict.evidence.join('\n'), /too short to tell/);
  });

  test('arrivals that are sent late are the generator’s own lateness', () => {
    const sendLag = { p99: 25_000 } as LatencySummary;
    const verdict = verdictOf(
      { errors: { total: 0, byClass: {}, first: [] }, durationUs: 10_000_000, sendLag },
      [{ name: 'w1', cpu: 0.2, threads: 1 }],
    );
    assert.equal(verdict.limit, 'generator');
    assert.match(verdict.evidence.join(), /25\.0 ms or more after it was due/);
  });
});
