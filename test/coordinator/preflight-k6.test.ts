import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeK6 } from '../../coordinator/preflight-k6.ts';

describe('k6, for scripts', () => {
  const k6 = { version: '1.8.1', extensions: ['k6/x/sql'] };
  const ROWS: [
    sentence: string,
    of: Parameters<typeof judgeK6>,
    level: string | undefined,
    message?: RegExp,
  ][] = [
    ['no script: no word', ['w', undefined, { requires: [], others: true }], undefined],
    [
      'one that will do',
      ['w', k6, { requires: [{ version: '1.2' }], others: false }],
      'good',
      /^k6 1\.8\.1$/,
    ],
    [
      'none',
      ['w', undefined, { requires: [{}], others: false }],
      'error',
      /^lacks k6, and takes no part in the script$/,
    ],
    [
      'none, where other cells need none',
      ['w', undefined, { requires: [{}], others: true }],
      'warning',
      /takes no part in cells with a script$/,
    ],
    [
      'an extension',
      ['w', k6, { requires: [{ extensions: ['k6/x/a'] }, { extensions: ['k6/x/a'] }], others: false }],
      'error',
      /^lacks k6\/x\/a, and/,
    ],
  ];
  for (const [sentence, of, level, message = /^$/] of ROWS) {
    test(sentence, () => {
      const [finding] = judgeK6(...of);
      assert.equal(finding?.level, level);
      assert.match(finding?.message ?? '', message);
    });
  }
});
