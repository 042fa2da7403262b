import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorClass } from '../../../../shared/metrics/error-class.ts';
import { classOf, type Stage } from '../../../../worker/engine/http/failures.ts';

const TABLE: readonly [sentence: string, code: string | undefined, stage: Stage, expected: ErrorClass][] = [
  ['Too many open files are the generator’s.', 'EMFILE', 'connect', 'local-fds'],
  ['A full file table is the generator’s.', 'ENFILE', 'connect', 'local-fds'],
  ['No port left is the generator’s.', 'EADDRNOTAVAIL', 'connect', 'local-ports'],
  ['A port in use is the generator’s.', 'EADDRINUSE', 'connect', 'local-ports'],
  ['What the local firewall forbids is not allowed.', 'EPERM', 'connect', 'not-allowed'],
  ['Nobody listens.', 'ECONNREFUSED', 'connect', 'connect-refused'],
  ['No way there counts as refused.', 'EHOSTUNREACH', 'connect', 'connect-refused'],
  ['The system gave up connecting.', 'ETIMEDOUT', 'connect', 'connect-timeout'],
  ['The system gave up retransmitting.', 'ETIMEDOUT', 'exchange', 'timeout'],
  ['A reset is a reset.', 'ECONNRESET', 'exchange', 'reset'],
  ['A reset while connecting is a reset.', 'ECONNRESET', 'connect', 'reset'],
  ['A write to a closed connection is a reset.', 'EPIPE', 'exchange', 'reset'],
  ['An unheard-of error while connecting counts as refused.', 'EWEIRD', 'connect', 'connect-refused'],
  ['An unheard-of error later counts as a reset.', undefined, 'exchange', 'reset'],
];

for (const [sentence, code, stage, expected] of TABLE) {
  test(sentence, () => assert.equal(classOf(code, stage), expected));
}
