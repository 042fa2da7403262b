/**
 * Interval: what one shard saw in one second. Only counts and histograms, so that any number of them, from any
 * worker, in any order, merge by addition (DESIGN rule 2). Rates and percentiles are derived later, in the summary.
 */
import type { ErrorClass, FirstError } from './error-class.ts';
import type { EncodedHistogram } from './histogram-codec.ts';
import type { ScriptInterval } from './script-interval.ts';

/** Additive counts of one second. A sample belongs to the second in which it finished. */
export interface IntervalCounts {
  /** Requests sent (or whose connection was attempted). */
  started: number;
  /** Whole, well-formed replies that met `expect`. */
  completed: number;
  /** Requests that ended in an error; Σ errors. */
  failed: number;
  /** Planned requests that were never started. */
  dropped: number;
  /** Bytes read off sockets: with TLS its records, alerts and handshakes too. */
  bytesReceived: number;
  /** With TLS: what came out of the records that were received. */
  bytesDecrypted: number;
  /** Bytes of entities, after de-chunking. */
  bytesBody: number;
  /** Bytes written to sockets. */
  bytesSent: number;
  /** Connections established (TCP). */
  connectionsOpened: number;
  /** The same by the address that they go to. */
  byAddress: Record<string, number>;
  /** TLS handshakes that resumed an earlier session. */
  tlsSessionsReused: number;
  /** Requests sent on a connection that had carried one before. */
  connectionsReused: number;
  /** CPU time of the load threads, µs; 0 where the system does not tell. */
  threadCpuUs: number;
  /** Whole replies by status code, also those that broke `expect`. */
  status: Record<string, number>;
  errors: Partial<Record<ErrorClass, number>>;
}

/** What a summary has only where there are values of it. */
export const OPTIONAL_PHASES = [
  'serviceTime',
  'connect',
  'tls',
  'secureConnect',
  'firstByte',
  'sendLag',
  'loopDelay',
] as const;
/** What is kept as histograms, in µs; the first ones of completed requests. */
export const PHASES = ['latency', ...OPTIONAL_PHASES] as const;
/**
 * - latency: open loop: from the intended start; closed loop: from the actual send (or the start of the connect);
 * - serviceTime: from the actual send; only where it differs from latency, that is in open loop;
 * - connect: TCP connect, of connections rather than requests;
 * - tls: TLS handshake after it, likewise;
 * - secureConnect: with TLS: the two together, of each connection;
 * - firstByte: from the actual send to the first byte of the reply;
 * - sendLag: open loop: how late the generator came to an arrival that was due, whatever became of it;
 * - loopDelay: how late a load thread's event loop came to a timer, sampled every few milliseconds.
 */
export type Phase = (typeof PHASES)[number];

/** What came of one request of several. Latency as of the phase, of completed ones. */
export interface RequestCounts {
  completed: number;
  failed: number;
  errors: Partial<Record<ErrorClass, number>>;
}
export interface RequestInterval extends RequestCounts {
  latency?: EncodedHistogram;
}

export interface Interval extends IntervalCounts {
  /** Whole seconds since the trial's start instant. */
  second: number;
  /** Requests started and not finished when the second ended. */
  inFlight: number;
  phases: Partial<Record<Phase, EncodedHistogram>>;
  firstErrors: FirstError[];
  /** By the requests' names, where there is more than one; only those of which something finished. */
  byRequest?: Record<string, RequestInterval>;
  /** Of a k6 script, in every one of its intervals. */
  script?: ScriptInterval;
}

/** A shard's account of itself at its end, kept apart from the intervals so that one can check the other. */
export interface ShardTotals {
  planned?: number;
  started: number;
  completed: number;
  failed: number;
  dropped: number;
  inFlight: number;
}

/**
 * What a load thread did with its time over the whole load, µs. It is at its limit in a second of which it worked, or
 * waited for a core to work on, nearly all.
 */
export interface ThreadLoad {
  /** CPU time, without idle polling. */
  cpuUs: number;
  /** Ready to work, and waiting for a core. */
  waitUs: number;
  /** So long it was watched; whole seconds only. */
  lengthUs: number;
  /** Of these: in seconds at its limit. */
  fullUs: number;
}

export function emptyCounts(): IntervalCounts {
  return {
    started: 0,
    completed: 0,
    failed: 0,
    dropped: 0,
    bytesReceived: 0,
    bytesDecrypted: 0,
    bytesBody: 0,
    bytesSent: 0,
    connectionsOpened: 0,
    byAddress: {},
    tlsSessionsReused: 0,
    connectionsReused: 0,
    threadCpuUs: 0,
    status: {},
    errors: {},
  };
}

/** Adds `from` to `into`. */
export function addCounts(into: IntervalCounts, from: IntervalCounts): void {
  addCountsToEach([into], from);
}

/** Adds `from` to each of `sums`; what it lists by name is gone through once for all of them. */
export function addCountsToEach(sums: readonly IntervalCounts[], from: IntervalCounts): void {
  for (const into of sums) addNumbers(into, from);
  for (const address in from.byAddress) {
    const count = from.byAddress[address]!;
    for (const { byAddress } of sums) byAddress[address] = (byAddress[address] ?? 0) + count;
  }
  for (const code in from.status) {
    const count = from.status[code]!;
    for (const { status } of sums) status[code] = (status[code] ?? 0) + count;
  }
  for (const name in from.errors) {
    const count = from.errors[name as ErrorClass]!;
    for (const { errors } of sums) errors[name as ErrorClass] = (errors[name as ErrorClass] ?? 0) + count;
  }
}

function addNumbers(into: IntervalCounts, from: IntervalCounts): void {
  into.started += from.started;
  into.completed += from.completed;
  into.failed += from.failed;
  into.dropped += from.dropped;
  into.bytesReceived += from.bytesReceived;
  into.bytesDecrypted += from.bytesDecrypted;
  into.bytesBody += from.bytesBody;
  into.bytesSent += from.bytesSent;
  into.connectionsOpened += from.connectionsOpened;
  into.tlsSessionsReused += from.tlsSessionsReused;
  into.connectionsReused += from.connectionsReused;
  into.threadCpuUs += from.threadCpuUs;
}

/** Adds `from` to `into`. */
export function addRequestCounts(into: RequestCounts, from: RequestCounts): void {
  into.completed += from.completed;
  into.failed += from.failed;
  for (const name in from.errors) {
    const key = name as ErrorClass;
    into.errors[key] = (into.errors[key] ?? 0) + from.errors[key]!;
  }
}

/** Merges two lists of first errors: the earliest of each class stays; ties go by worker name, then by message. */
export function mergeFirstErrors(a: readonly FirstError[], b: readonly FirstError[]): FirstError[] {
  const first = new Map<ErrorClass, FirstError>();
  for (const error of [...a, ...b]) {
    const known = first.get(error.class);
    if (known === undefined || comesBefore(error, known)) first.set(error.class, error);
  }
  return [...first.values()].sort((x, y) => x.atUs - y.atUs || compareText(x.class, y.class));
}

function comesBefore(a: FirstError, b: FirstError): boolean {
  if (a.atUs !== b.atUs) return a.atUs < b.atUs;
  const byWorker = compareText(a.worker ?? '', b.worker ?? '');
  return (byWorker || compareText(a.message, b.message)) < 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
