import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeTrial } from '../../../coordinator/report/judge.ts';
import type { FirstError } from '../../../shared/metrics/error-class.ts';

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
