/** Trials to be judged, each like a plain one but for what is changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ReportHost,
  ReportLink,
  ReportProcess,
} from '../../../../coordinator/report/hosts/host-model.ts';
import type { ReportThread, ReportWorker, Verdict } from '../../../../coordinator/report/schema.ts';
import type { Evidence } from '../../../../coordinator/report/verdict/evidence.ts';
import { verdictOf } from '../../../../coordinator/report/verdict/verdict.ts';
import type { ErrorClass } from '../../../../shared/metrics/error-class.ts';
import type { LatencySummary } from '../../../../shared/metrics/summary.ts';

/** All of its quantiles alike, but for those that are given. */
export function times(us: number, more: Partial<LatencySummary> = {}): LatencySummary {
  const { count = 5_000 } = more;
  const all = { min: us, mean: us, stdev: 0, p50: us, p75: us, p90: us, p95: us, p99: us, p999: us, max: us };
  return { ...all, histogram: '', ...more, count };
}

export function thread(cpu: number, more: Partial<ReportThread> = {}): ReportThread {
  return { cpu, waited: 0.01, full: cpu >= 0.95 ? 1 : 0, ...more };
}

export function worker(more: Partial<ReportWorker> = {}): ReportWorker {
  return {
    name: 'w1',
    hostname: 'load-1',
    threads: 1,
    clockOffsetUs: 0,
    clockUncertaintyUs: 0,
    threadLoads: [thread(0.2)],
    requests: 5_000,
    share: 1,
    expectedShare: 1,
    requestRate: 500,
    transferRate: 1e6,
    ...more,
  };
}

export const WHOLE = { offset: 0, stride: 1 };
export const CLOSED = {
  executor: 'constant-connections',
  connections: 10,
  durationUs: 1e7,
  keepAlive: true,
} satisfies Evidence['load'];
export const OPEN = {
  executor: 'constant-arrival-rate',
  rate: 500,
  durationUs: 1e7,
  maxConnections: 100,
  maxWaitUs: 0,
  keepAlive: true,
  stripe: WHOLE,
} satisfies Evidence['load'];

/** 500/s for 10 s with 20 ms each: ten connections that wait all the time. */
export const SUMMARY: Evidence['summary'] = {
  requests: 5_000,
  requestRate: 500,
  durationUs: 1e7,
  errors: { total: 0, byClass: {}, first: [] },
  connections: { opened: 10, reused: 4_990, byAddress: {} },
  latency: times(20_000),
  firstByte: times(19_000),
  connect: times(200, { count: 10 }),
  loopDelay: times(900),
};

export interface Change extends Partial<Omit<Evidence, 'summary'>> {
  summary?: Partial<Evidence['summary']>;
}

export function closed({ summary = {}, ...more }: Change = {}): Evidence {
  return {
    load: CLOSED,
    summary: { ...SUMMARY, ...summary },
    ledger: { dropped: 0 },
    stalls: [],
    workers: [worker()],
    hosts: [],
    connectUs: 250,
    ...more,
  };
}

export function open({ summary = {}, ...more }: Change = {}): Evidence {
  return closed({
    load: OPEN,
    ledger: { planned: 5_000, dropped: 0 },
    ...more,
    summary: { serviceTime: times(20_000), sendLag: times(150), ...summary },
  });
}

export function failures(byClass: Partial<Record<ErrorClass, number>>): Evidence['summary']['errors'] {
  const total = Object.values(byClass).reduce((sum, count) => sum + count, 0);
  const names = Object.keys(byClass) as ErrorClass[];
  return {
    total,
    byClass,
    first: names.map((name) => ({ class: name, message: 'E', atUs: 1, worker: 'w1' })),
  };
}

export const both = (mean: number) => ({ mean, max: mean });

export function host(
  more: Partial<ReportHost> & { busy?: number; core?: number; iowait?: number } = {},
): ReportHost {
  const { busy = 0.3, core = busy, iowait = 0, ...rest } = more;
  return {
    name: 'target',
    role: 'observer',
    machine: `machine of ${rest.name ?? 'target'}`,
    cores: 4,
    clockOffsetUs: 0,
    clockUncertaintyUs: 0,
    sampledUs: 1e7,
    cpu: {
      busy: both(busy),
      user: both(busy),
      system: both(0),
      iowait: both(iowait),
      steal: both(0),
      busiestCore: both(core),
    },
    tcp: { sentSegments: 100_000, retransmits: 0, resets: 0, listenOverflows: 0, listenDrops: 0 },
    processes: [],
    interfaces: [],
    seconds: [],
    ...rest,
  };
}

export const onWorker = (more: Parameters<typeof host>[0] = {}): ReportHost =>
  host({ name: 'w1', role: 'worker', ...more });

export function process(more: Partial<ReportProcess>): ReportProcess {
  return {
    name: 'nginx',
    user: both(0.2),
    system: both(0.1),
    waited: both(0.01),
    busiestThread: both(0.3),
    threads: 4,
    ...more,
  };
}

export function wire(...links: Partial<ReportLink>[]): NonNullable<Evidence['wire']> {
  const parts = { body: 0, head: 0, tcpIp: 0, ethernet: 0, total: 0 };
  return {
    perRequest: { body: 1, head: 1, sent: 1, connections: 0 },
    replies: parts,
    requests: parts,
    links: links.map((link) => ({
      host: 'w1',
      role: 'worker',
      interface: 'eth0',
      receivedBits: 1e8 * (link.share ?? 0),
      sentBits: 1e6,
      speedBitsPerSecond: 1e8,
      ...link,
    })),
  };
}

export const LOOPBACK = wire({ interface: 'lo', loopback: true });
export const lossy = (retransmits: number) => ({
  sentSegments: 10_000,
  retransmits,
  resets: 0,
  listenOverflows: 0,
  listenDrops: 0,
});
export const overflowing = (listenOverflows: number) => ({
  ...lossy(500),
  listenOverflows,
  listenDrops: listenOverflows,
});
export const TRIED_AGAIN = { connect: times(200, { count: 500, max: 1_010_000 }) };

export type Row = [that: string, trial: Evidence, limit: Verdict['limit'], evidence: RegExp, advice?: RegExp];

/** A test a row: the limit, and what is said for it. */
export function testRows(rows: readonly Row[]): void {
  for (const [that, trial, expected, evidence, advice] of rows) {
    test(that, () => {
      const verdict = verdictOf(trial);
      assert.equal(verdict.limit, expected, verdict.evidence.join('\n'));
      assert.match(verdict.evidence.join('\n'), evidence);
      if (advice !== undefined) assert.match(verdict.advice ?? '', advice);
    });
  }
}
