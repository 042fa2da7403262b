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
