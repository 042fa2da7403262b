import type { RequestPlan } from '../../shared/domain/run.ts';
import type { ErrorClass } from '../../shared/metrics/error-class.ts';
import { awaitRequest, type Script, type Step, send } from '../support/scripted-server.ts';

/** A status: completed. A class: failed. Both: failed although the whole reply came. */
export type Outcome = number | ErrorClass | { failed: ErrorClass; status: number };

/** One case of the suite: what goes over the wire, and what an engine must make of it. */
export interface ConformanceCase {
  /** One sentence: what the server does, and what follows. */
  name: string;
  /** By connection, in the order in which they are accepted. */
  server: readonly Script[];
  request?: Partial<RequestPlan>;
  /** As in the load; true when absent. */
  keepAlive?: boolean;
  /** One request each, one after another on one slot, each fired from `onFree` of the one before. */
  samples: readonly Outcome[];
  /** Bytes of the entities. */
  body: number;
  /** Bytes read off the sockets are all that the server sent; or at least so many, where the engine gives up early. */
  receivedAtLeast?: number;
  /**
   * Whether the connection of the last sample can be used again: the suite fires one more request and sees where it
   * goes. When absent, none is fired.
   */
  kept?: boolean;
  /** Requests sent on a connection that had carried one; when absent, all but the first of each connection. */
  reused?: number | 'either';
  /** How much was sent when the reply ended it is between two kernels. */
  sentOpen?: boolean;
  /** The server gets at least so many bytes, or fewer than that: whether a body went out. */
  sentAtLeast?: number;
  sentBelow?: number;
  /** Before the next request is fired, the server sees all its connections closed. */
  awaitCloseBetween?: boolean;
  /** Also run with the server's bytes cut at every position; when absent, when they are few. */
  cut?: boolean;
  /** Says nothing of a connection with TLS: there it ends inside the handshake. */
  plainOnly?: boolean;
  /** Cut only before this byte. */
  cutBefore?: number;
}

/** The usual script: a request, then these bytes. */
export function reply(...pieces: (string | Buffer | Step)[]): Script {
  return [
    awaitRequest,
    ...pieces.map((piece) => (typeof piece === 'string' || Buffer.isBuffer(piece) ? send(piece) : piece)),
  ];
}

/** A head of these lines, with the blank line. */
export function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export const OK = 'HTTP/1.1 200 OK';
