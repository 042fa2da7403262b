/**
 * What an executor and an engine know of each other. An executor decides when a request is sent and on which
 * connection; an engine carries it out and reports the sample to the recorder. Neither waits for the other: `fire`
 * returns at once, `onFree` tells that the connection can take the next request.
 *
 * The cut is made so that an engine whose socket loop is native can take the place of the TypeScript one: slots are
 * small integers, no object crosses per request, and an engine is free to record and to call `onFree` in batches.
 */
import type { Clock } from '../../shared/clock.ts';
import type { DataPlan, RequestPlan } from '../../shared/domain/run.ts';
import type { TlsPlan } from '../../shared/domain/transport.ts';
import type { ErrorClass } from '../../shared/metrics/error-class.ts';

/**
 * Where an engine puts what it saw. All times are µs on the thread's clock; a request is named by its place in the
 * engine's `requests`.
 */
export interface SampleSink {
  /**
   * A request was sent, or its connection attempted.
   * @param reused whether its connection had carried a request before
   */
  started(request: number, sentUs: number, reused: boolean): void;
  /**
   * A whole reply that met `expect`.
   * @param intendedUs when the executor meant the request to start
   * @param sentUs when its first byte was written, or its connect began on a new connection
   * @param firstByteUs when the first byte of the reply was read
   * @param endUs when its last byte was read
   */
  completed(
    request: number,
    status: number,
    intendedUs: number,
    sentUs: number,
    firstByteUs: number,
    endUs: number,
  ): void;
  /** A request that ended in an error; `status` when a whole reply came all the same (it broke `expect`). */
  failed(request: number, errorClass: ErrorClass, message: string, atUs: number, status?: number): void;
  /** Off the socket: with TLS, before it is decrypted. */
  received(bytes: number): void;
  /** With TLS only: what came out of it. */
  decrypted(bytes: number): void;
  body(bytes: number): void;
  /** Into the socket: with TLS, after it is encrypted. */
  sent(bytes: number): void;
  /** @param address of the target, numeric */
  connected(connectUs: number, address: string): void;
  /**
   * A TLS handshake is complete.
   * @param connectedUs since the connection began: TCP connect and handshake together
   * @param resumed whether it took up an earlier session
   */
  secured(handshakeUs: number, connectedUs: number, resumed: boolean): void;
}

export interface EngineOptions {
  /** At least one, all at the same origin; the engine sends them in the order of `weightedOrder`. */
  requests: RequestPlan[];
  /** Where in that order it begins, taken round: the threads of a trial begin at different places. */
  startAt: number;
  /** Rows for the templates of the requests, taken one after another, round and round. */
  data?: DataPlan;
  /** The target's addresses, resolved and allowed by the worker; connections go to them in turn. At least one. */
  addresses: string[];
  /** Looks the name up for a connection, instead of `addresses`; rejects with an error that has an `errorClass`. */
  lookup?: () => Promise<string[]>;
  /** Addresses of this machine that connections come from, in turn; none leaves it to the system. */
  localAddresses?: string[];
  /** For https. */
  tls?: TlsPlan;
  /** Number of connection slots: 0 … slots − 1. */
  slots: number;
  keepAlive: boolean;
  clock: Clock;
  sink: SampleSink;
  /**
   * The slot is free: its request has completed or failed, and the sink was told. `fire` may be called from inside.
   * Never called from inside `fire`.
   */
  onFree(slot: number): void;
}

export interface Engine {
  /**
   * Sends the next request on a free slot, opening its connection first if it has none. Never throws: what goes wrong is
   * a failed sample.
   * @param intendedUs the intended start, for the sample
   */
  fire(slot: number, intendedUs: number): void;
  /** Closes the connection of a free slot, if it has one; its next request opens another. */
  release(slot: number): void;
  /** What the first reply named as its server (the header Server); undefined when there was none, or no reply yet. */
  readonly server?: string | undefined;
  /** Requests started and not finished. */
  readonly inFlight: number;
  /** Drops all connections at once; requests in flight stay unfinished and are reported nowhere but in `inFlight`. */
  close(): void;
}

/** Prepares the request; rejects with a BroadsideError when that cannot be done at all. */
export type EngineFactory = (options: EngineOptions) => Promise<Engine>;
