/** What went wrong with a socket: the class that it counts as, and the words for a person. */
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';

/** Where in a connection's life the error was reported. */
export type Stage = 'lookup' | 'connect' | 'handshake' | 'exchange';

const CLASSES: Record<string, ErrorClass> = {
  // What this machine lacks says nothing about the target.
  EMFILE: 'local-fds',
  ENFILE: 'local-fds',
  ENOBUFS: 'local-fds',
  ENOMEM: 'local-fds',
  EADDRNOTAVAIL: 'local-ports',
  EADDRINUSE: 'local-ports',
  EACCES: 'not-allowed',
  EPERM: 'not-allowed',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
};

/**
 * The class of an error of a socket. Unreachable hosts and networks count as refused: the target, or a router on the
 * way, said no. Whatever ends a TLS handshake is of class tls, and so is what OpenSSL reports later. Anything unheard
 * of goes by its stage.
 */
export function classOf(code: string | undefined, stage: Stage): ErrorClass {
  if (stage === 'lookup') return 'dns';
  if (stage === 'handshake' || (code !== undefined && TLS_CODE.test(code))) return 'tls';
  const known = code === undefined ? undefined : CLASSES[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT') return stage === 'connect' ? 'connect-timeout' : 'timeout';
  return stage === 'connect' ? 'connect-refused' : 'reset';
}

/** OpenSSL's errors, and EPROTO, which Node makes of some of them. */
const TLS_CODE = /^(EPROTO|ERR_SSL_|ERR_TLS_)/;

const MEANINGS: Record<string, string> = {
  EMFILE: 'no file descriptors left (EMFILE); raise ulimit -n',
  ENFILE: 'no file descriptors left on this machine (ENFILE)',
  EADDRNOTAVAIL: 'no local ports left (EADDRNOTAVAIL)',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while writing (EPIPE)',
  EHOSTUNREACH: 'no route to the host (EHOSTUNREACH)',
  ENETUNREACH: 'no route to the network (ENETUNREACH)',
  // What can be wrong with a certificate (X509_V_ERR_…), and what to do about it.
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; name it as the CA (tls.ca, --cacert), or take any (tls.insecure, --insecure)',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate comes from a CA that is not known here; name it (tls.ca, --cacert)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate comes from a CA that is not known here; name it (tls.ca, --cacert), with those in between',
  UNABLE_TO_GET_ISSUER_CERT: 'the CA of its certificate is not known here; name it (tls.ca, --cacert)',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the CA of its certificate is not known here; name it (tls.ca, --cacert)',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet (or a clock is wrong)',
  CERT_REVOKED: 'its certificate is revoked',
  ERR_SSL_WRONG_VERSION_NUMBER: 'what listens there does not speak TLS; is it an http:// target?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'what listens there does not speak TLS; is it an http:// target?',
  ERR_SSL_HTTP_REQUEST: 'what listens there does not speak TLS; is it an http:// target?',
};

/** The same error for a person; Node's own text repeats the address. */
export function meaningOf(error: NodeJS.ErrnoException, stage: Stage): string {
  const { code, message } = error;
  if (stage === 'handshake' && (code === 'ECONNRESET' || code === 'EPIPE'))
    return 'the connection was closed during the TLS handshake';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another name (${message})`;
  const known = code === undefined ? undefined : MEANINGS[code];
  if (known !== undefined) return known;
  // OpenSSL's text begins with numbers and ends with places in its source.
  const reason = /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  if (reason !== undefined) return `TLS: ${reason}`;
  return code ?? message;
}
