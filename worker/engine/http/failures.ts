import type { ErrorClass } from '../../../shared/metrics/error-class.ts';

/** Where in a request's life the system reported the error. */
export type Stage = 'connect' | 'exchange';

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
 * The class of a system error of a socket. Unreachable hosts and networks count as refused: the target, or a router
 * on the way, said no. Anything unheard of goes by its stage.
 */
export function classOf(code: string | undefined, stage: Stage): ErrorClass {
  const known = code === undefined ? undefined : CLASSES[code];
  if (known !== undefined) return known;
  if (code === 'ETIMEDOUT') return stage === 'connect' ? 'connect-timeout' : 'timeout';
  return stage === 'connect' ? 'connect-refused' : 'reset';
}

const MEANINGS: Record<string, string> = {
  EMFILE: 'no file descriptors left (EMFILE); raise ulimit -n',
  ENFILE: 'no file descriptors left on this machine (ENFILE)',
  EADDRNOTAVAIL: 'no local ports left (EADDRNOTAVAIL)',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while writing (EPIPE)',
  EHOSTUNREACH: 'no route to the host (EHOSTUNREACH)',
  ENETUNREACH: 'no route to the network (ENETUNREACH)',
};

/** The same error for a person; Node's own text repeats the address. */
export function meaningOf(error: NodeJS.ErrnoException): string {
  return (error.code && MEANINGS[error.code]) || error.code || error.message;
}
