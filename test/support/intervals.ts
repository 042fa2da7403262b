/** Intervals made from lists of samples, so that a test can hold merged numbers against the samples themselves. */
import type { ErrorClass } from '../../shared/metrics/error-class.ts';
import { Histogram } from '../../shared/metrics/histogram.ts';
import { encodeHistogram } from '../../shared/metrics/histogram-codec.ts';
import { emptyCounts, type Interval, type Phase } from '../../shared/metrics/interval.ts';

/** Where all connections go. */
const ADDRESS = '10.0.0.5';

export interface Sample {
  latencyUs: number;
  status?: number;
  bytes?: number;
  body?: number;
  error?: { class: ErrorClass; message: string; atUs: number };
  /** Set when the request opened its connection. */
  connectUs?: number;
  /** With TLS: how long its handshake took, and whether it took up a session. */
  handshakeUs?: number;
  resumed?: boolean;
  /** Where its connection went, when not to the usual address. */
  address?: string;
  /** With TLS: of `bytes`. */
  decrypted?: number;
  firstByteUs?: number;
  serviceUs?: number;
}

/** One second of one shard in which exactly these samples started and finished. */
export function intervalOf(second: number, samples: readonly Sample[], inFlight = 0): Interval {
  const interval: Interval = { second, inFlight, phases: {}, firstErrors: [], ...emptyCounts() };
  const phases = new Map<Phase, Histogram>();
  const record = (phase: Phase, value: number | undefined) => {
    if (value === undefined) return;
    const histogram = phases.get(phase) ?? new Histogram();
    phases.set(phase, histogram);
    histogram.record(value);
  };
  for (const sample of samples) {
    const { error, status, connectUs } = sample;
    interval.started++;
    interval.bytesReceived += sample.bytes ?? 0;
    interval.bytesDecrypted += sample.decrypted ?? 0;
    interval.bytesBody += sample.body ?? 0;
    interval.bytesSent += 100;
    if (connectUs === undefined) interval.connectionsReused++;
    else {
      interval.connectionsOpened++;
      const { address = ADDRESS } = sample;
      interval.byAddress[address] = (interval.byAddress[address] ?? 0) + 1;
      if (sample.resumed) interval.tlsSessionsReused++;
    }
    record('connect', connectUs);
    record('tls', sample.handshakeUs);
    if (sample.handshakeUs !== undefined) record('secureConnect', (connectUs ?? 0) + sample.handshakeUs);
    if (status !== undefined) interval.status[status] = (interval.status[status] ?? 0) + 1;
    if (error === undefined) {
      interval.completed++;
      record('latency', sample.latencyUs);
      record('firstByte', sample.firstByteUs);
      record('serviceTime', sample.serviceUs);
      continue;
    }
    interval.failed++;
    interval.errors[error.class] = (interval.errors[error.class] ?? 0) + 1;
    if (!interval.firstErrors.some((first) => first.class === error.class))
      interval.firstErrors.push({ ...error });
  }
  for (const [phase, histogram] of phases) interval.phases[phase] = encodeHistogram(histogram.snapshot());
  return interval;
}
