/** Journals of runs that never took place, with numbers that a reader can add up. */
import type {
  IntervalRecord,
  JournalRecord,
  RunEndedRecord,
  RunRecord,
  ShardDoneRecord,
  ShardRecord,
  ThresholdSpec,
  TrialStartedRecord,
} from '../../../coordinator/journal-records.ts';
import type { ScriptExit } from '../../../shared/domain/k6-plan.ts';
import type {
  Cell,
  ConstantArrivalRate,
  ConstantConnections,
  LoadPlan,
  TrialPlan,
} from '../../../shared/domain/run.ts';
import { DEFAULT_DNF } from '../../../shared/domain/scenario.ts';
import { plannedRequests } from '../../../shared/domain/shard.ts';
import type { Interval, ShardTotals } from '../../../shared/metrics/interval.ts';
import type { ScriptInterval } from '../../../shared/metrics/script-interval.ts';
import { intervalOf, type Sample } from '../../support/intervals.ts';

export const START_US = 1_767_225_600_000_000;

export const CLOSED: ConstantConnections = {
  executor: 'constant-connections',
  connections: 3,
  requests: 300,
  keepAlive: true,
};
export const OPEN: ConstantArrivalRate = {
  executor: 'constant-arrival-rate',
  rate: 100,
  durationUs: 3_000_000,
  maxConnections: 4,
  maxWaitUs: 1_000_000,
  keepAlive: true,
  stripe: { offset: 0, stride: 1 },
};

export function trialPlan(index: number, load: LoadPlan, cell: Cell = {}, round = 1): TrialPlan {
  const name = String(cell.target ?? 'target');
  return {
    index,
    cell,
    round,
    target: { name, url: 'http://10.0.0.5:8080' },
    engine: 'http',
    requests: [
      {
        name: 'request',
        weight: 1,
        method: 'GET',
        url: 'http://10.0.0.5:8080/4k.bin?x=1',
        headers: [],
        timeoutUs: 10_000_000,
        connectTimeoutUs: 5_000_000,
      },
    ],
    load,
    warmupUs: 0,
  };
}

export function runRecord(trials: TrialPlan[], more: Partial<RunRecord> = {}): RunRecord {
  return {
    type: 'run',
    version: 1,
    broadside: '0.1.0',
    id: 'r1',
    name: 'static files',
    submittedUs: START_US - 1_000_000,
    startedUs: START_US,
    trials,
    fingerprint: '00:00',
    cells: [],
    order: { name: 'interleaved' },
    dnf: DEFAULT_DNF,
    thresholds: [],
    report: [],
    ...more,
  };
}

export function runEnded(more: Partial<RunEndedRecord> = {}): RunEndedRecord {
  return { type: 'run-ended', endedUs: START_US + 4_500_000, state: 'completed', ...more };
}

/** What one shard of a trial sends: its seconds of samples, its account at the end. */
export interface ShardStory {
  worker: string;
  connections: number;
  planned?: number;
  seconds: Sample[][];
  dropped?: number;
  /** In flight at the end. */
  inFlight?: number;
  firstRequestUs?: number;
  endUs?: number;
  cpuSeconds?: number;
  /** No `shard-done`: the worker was lost. */
  lostAtUs?: number;
  /** Of a k6 script, by the second. */
  scripts?: ScriptInterval[];
  exit?: ScriptExit;
}

/** The records of one trial in a plausible order. */
export function trialRecords(plan: TrialPlan, stories: ShardStory[], planned?: number): JournalRecord[] {
  const trial = plan.index;
  const ids = stories.map((_, i) => `r1/${trial}/${i}`);
  const promised = planned ?? plannedRequests(plan.load);
  const started: TrialStartedRecord = {
    type: 'trial-started',
    trial,
    startUs: START_US + 500_000,
    shards: stories.map((story, i) => shardRecord(story, i, ids[i]!)),
    ...(promised === undefined ? {} : { planned: promised }),
  };
  const sent = stories.map((story, i) => intervalRecords(trial, ids[i]!, story));
  const longest = Math.max(...sent.map((records) => records.length));
  const interleaved = Array.from({ length: longest }, (_, seq) =>
    sent.flatMap((records) => records[seq] ?? []),
  );
  return [
    started,
    ...interleaved.flat(),
    ...stories.map((story, i) =>
      endRecord(
        trial,
        ids[i]!,
        story,
        sent[i]!.map((record) => record.interval),
      ),
    ),
    { type: 'trial-ended', trial, state: 'completed' },
  ];
}

function shardRecord(story: ShardStory, index: number, shard: string): ShardRecord {
  return {
    shard,
    index,
    worker: story.worker,
    hostname: `${story.worker}.lab`,
    connections: story.connections,
    threads: 1,
    clockOffsetUs: index === 0 ? 312 : -48_200,
    clockUncertaintyUs: 85,
    ...(story.planned === undefined ? {} : { planned: story.planned }),
  };
}

function intervalRecords(trial: number, shard: string, story: ShardStory): IntervalRecord[] {
  const last = story.seconds.length - 1;
  return story.seconds.map((samples, second) => {
    const interval = intervalOf(second, samples);
    if (second === last) {
      interval.dropped = story.dropped ?? 0;
      interval.inFlight = story.inFlight ?? 0;
      interval.started += interval.inFlight;
    }
    const script = story.scripts?.[second];
    if (script !== undefined) interval.script = script;
    return { type: 'interval', trial, shard, seq: second, interval };
  });
}

function endRecord(trial: number, shard: string, story: ShardStory, intervals: Interval[]): JournalRecord {
  if (story.lostAtUs !== undefined) {
    const { worker, lostAtUs } = story;
    return { type: 'worker-lost', trial, shard, worker, atUs: lostAtUs, reason: 'no heartbeat for 15 s' };
  }
  const sum = (name: 'started' | 'completed' | 'failed' | 'dropped') =>
    intervals.reduce((total, interval) => total + interval[name], 0);
  const totals: ShardTotals = {
    started: sum('started'),
    completed: sum('completed'),
    failed: sum('failed'),
    dropped: sum('dropped'),
    inFlight: story.inFlight ?? 0,
    ...(story.planned === undefined ? {} : { planned: story.planned }),
  };
  const done: ShardDoneRecord = {
    type: 'shard-done',
    trial,
    shard,
    intervals: intervals.length,
    totals,
    endUs: story.endUs ?? story.seconds.length * 1e6,
    cpuSeconds: story.cpuSeconds ?? 0.9,
    residentBytes: 71_000_000,
    ...(story.firstRequestUs === undefined ? {} : { firstRequestUs: story.firstRequestUs }),
    ...(story.exit !== undefined && { exit: story.exit }),
  };
  return done;
}

/** `count` samples between 1 ms and about 20 ms, always the same; the first `connections` of them connect. */
export function samples(count: number, connections = 0, seed = 1, more: Partial<Sample> = {}): Sample[] {
  let state = seed;
  return Array.from({ length: count }, (_, i) => {
    state = (state * 48_271) % 2_147_483_647;
    const latencyUs = 1_000 + (state % 4_000) + (i % 50 === 49 ? 15_000 : 0);
    return {
      latencyUs,
      status: 200,
      bytes: 4_337,
      body: 4_096,
      firstByteUs: Math.round(latencyUs * 0.8),
      ...(i < connections ? { connectUs: 150 + (state % 100) } : {}),
      ...more,
    };
  });
}

export function failures(count: number, atUs: number): Sample[] {
  return Array.from({ length: count }, (_, i) => ({
    latencyUs: 0,
    connectUs: undefined,
    error: { class: 'reset', message: 'read ECONNRESET after 120 bytes', atUs: atUs + i },
  }));
}

/** Two workers, 300 planned requests, three of them failed. */
export function closedRun(thresholds: ThresholdSpec[] = []): JournalRecord[] {
  const plan = trialPlan(0, CLOSED);
  return [
    runRecord([plan], { thresholds }),
    ...trialRecords(plan, [
      {
        worker: 'w1',
        connections: 2,
        planned: 200,
        seconds: [samples(90, 2, 7), samples(80, 0, 8), [...samples(27, 0, 9), ...failures(3, 2_104_000)]],
        firstRequestUs: 210,
        endUs: 2_345_678.4,
        cpuSeconds: 1.2,
      },
      {
        worker: 'w2',
        connections: 1,
        planned: 100,
        seconds: [samples(45, 1, 17), samples(40, 0, 18), samples(15, 0, 19, { status: 404 })],
        firstRequestUs: 1_930,
        endUs: 2_301_002,
        cpuSeconds: 0.4,
      },
    ]),
    runEnded(),
  ];
}

/** Open loop over two workers; the second is lost in its third second. */
export function lostRun(): JournalRecord[] {
  const plan = trialPlan(0, OPEN);
  const open = (count: number, connections: number, seed: number) =>
    samples(count, connections, seed).map((sample) => ({ ...sample, serviceUs: sample.latencyUs - 300 }));
  return [
    runRecord([plan]),
    ...trialRecords(plan, [
      {
        worker: 'w1',
        connections: 2,
        planned: 150,
        seconds: [open(50, 2, 3), open(49, 0, 4), open(48, 0, 5)],
        dropped: 2,
        inFlight: 1,
        firstRequestUs: 40,
        endUs: 3_000_412,
      },
      {
        worker: 'w2',
        connections: 2,
        planned: 150,
        seconds: [open(50, 2, 13), open(46, 0, 14)],
        inFlight: 2,
        lostAtUs: 2_400_000,
      },
    ]),
    runEnded(),
  ];
}

/** Two targets × two sizes × five rounds; one trial of them all fails. */
export function sweepRun(): JournalRecord[] {
  const cells = ['httpd', 'nio'].flatMap((target) => ['4KiB', '64KiB'].map((size) => ({ target, size })));
  const load: LoadPlan = {
    executor: 'constant-connections',
    connections: 2,
    durationUs: 1e6,
    keepAlive: false,
  };
  const plans = [1, 2, 3, 4, 5].flatMap((round) =>
    cells.map((cell, i) => trialPlan((round - 1) * cells.length + i, load, cell, round)),
  );
  return [
    runRecord(plans, {
      name: 'static files by connector',
      report: [{ rows: 'size', columns: 'target', metric: 'transferRate', unit: 'KiB/s', baseline: 'httpd' }],
      thresholds: [{ that: 'p(99) < 18ms', abort: false, afterUs: 0 }],
    }),
    ...plans.flatMap((plan) => {
      const broken = plan.index === 6;
      const count = 100 + (plan.index % 4) * 20 + plan.round * 3;
      const seconds = [broken ? failures(40, 1_000) : samples(count, count, plan.index + 1)];
      return trialRecords(plan, [
        { worker: 'w1', connections: 2, seconds, firstRequestUs: 90, endUs: 1_000_000 },
      ]);
    }),
    runEnded({ endedUs: START_US + 24_000_000 }),
  ];
}
