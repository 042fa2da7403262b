import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorClass } from '../../../../shared/metrics/error-class.ts';
import { classOf, meaningOf, type Stage } from '../../../../worker/engine/http/failures.ts';

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
  ['Whatever ends a handshake is of class tls.', 'ECONNRESET', 'handshake', 'tls'],
  ['So is a certificate that is refused.', 'CERT_HAS_EXPIRED', 'handshake', 'tls'],
  [
    'What OpenSSL reports later is of class tls.',
    'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
    'exchange',
    'tls',
  ],
  ['A reset under TLS is a reset.', 'ECONNRESET', 'exchange', 'reset'],
  ['A failed lookup is of class dns.', 'ENOTFOUND', 'lookup', 'dns'],
  ['An unheard-of error while connecting counts as refused.', 'EWEIRD', 'connect', 'connect-refused'],
  ['An unheard-of error later counts as a reset.', undefined, 'exchange', 'reset'],
];

for (const [sentence, code, stage, expected] of TABLE) {
  test(sentence, () => assert.equal(classOf(code, stage), expected));
}

const MEANINGS: readonly [code: string | undefined, message: string, stage: Stage, expected: RegExp][] = [
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'connect', /^connection refused$/],
  ['ECONNRESET', 'socket hang up', 'handshake', /^the connection was closed during the TLS handshake$/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'handshake', /--cacert.*--insecure/],
  [
    'ERR_SSL_X',
    '40:error:0A:SSL routines:ssl3_read_bytes:tlsv1 alert x:../rec.c:1:',
    'handshake',
    /^TLS: tlsv1 alert x$/,
  ],
  [undefined, 'something else', 'exchange', /^something else$/],
];
for (const [code, message, stage, expected] of MEANINGS) {
  test(`${code}: ${expected.source}`, () => {
    assert.match(meaningOf(Object.assign(new Error(message), { code }), stage), expected);
  });
}
