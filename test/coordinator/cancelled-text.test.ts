import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cancelledText } from '../../coordinator/cli/lists.ts';
import type { RunStatus } from '../../coordinator/run-status.ts';

const ROWS: [state: RunStatus['state'], text: string][] = [
  ['queued', 'run r is being cancelled'],
  ['running', 'run r is being cancelled'],
  ['cancelled', 'run r is cancelled'],
  ['completed', 'run r had ended: completed'],
  ['failed', 'run r had ended: failed'],
];

describe('what `coordinator cancel` says of a run that is', () => {
  for (const [state, text] of ROWS) {
    test(state, () => assert.equal(cancelledText({ id: 'r', state }), text));
  }
});
