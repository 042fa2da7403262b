/** What the generator did to itself: its own failures, arrivals that were late, load threads or machines without time left. */
import { isOpenLoop } from '../../../shared/domain/load-plan.ts';
import { formatDuration, formatRate } from '../../../shared/domain/units.ts';
import { type ErrorClass, GENERATOR_ERRORS } from '../../../shared/metrics/error-class.ts';
import type { ReportWorker } from '../schema.ts';
import { BOUNDS } from './bounds.ts';
import type { Evidence, Found } from './evidence.ts';
import { isAtLeisure, MORE_GENERATOR } from './generator-room.ts';
import { percent } from './words.ts';

const MENDS: Partial<Record<ErrorClass, string>> = {
  'local-ports':
    'keepAlive: true, more addresses (`worker start --local-address`), or net.ipv4.ip_local_port_range="1024 65535" on the workers',
  'local-fds': 'raise the limit in the shell that starts the worker: `ulimit -n 65536`',
  'not-allowed': 'let the workers load it: `worker start --allow`',
};

export function ownFailures({ summary: { errors, requests } }: Evidence): Found | undefined {
  const counts = GENERATOR_ERRORS.flatMap((name) => {
    const count = errors.byClass[name] ?? 0;
    return count === 0 ? [] : [{ name, count }];
  });
  const own = counts.reduce((sum, { count }) => sum + count, 0);
  const finished = requests + errors.total;
  if (own <= errors.total * BOUNDS.ownFailures || own < finished * BOUNDS.ownRequests) return undefined;
  const most = [...counts].sort((a, b) => b.count - a.count)[0]!;
  const on = errors.first.find((error) => error.class === most.name)?.worker;
  const list = counts.map(({ name, count }) => `${name} ${count}`).join(', ');
  const where = on === undefined ? '' : `, the first on ${on}`;
  return {
    evidence: [
      `${own} of ${errors.total} failures are the load machines' own (${list})${where}: ${percent(own / finished, 1)} of the requests, bound ${percent(BOUNDS.ownRequests)}`,
    ],
    advice: MENDS[most.name] ?? '',
  };
}

/** A load that was slowed down on purpose says nothing of the target. */
export function reachedCap({ load, workers, summary }: Evidence): Found | undefined {
  const { latency, serviceTime = latency } = summary;
  const evidence = workers.flatMap(({ name, requests, requestRate, maxRate, held }) => {
    if (maxRate === undefined) return [];
    const heldUs = held?.us ?? 0;
    const share = heldUs / Math.max(1, heldUs + requests * serviceTime.mean);
    const atCap = !isOpenLoop(load) && requestRate >= maxRate * BOUNDS.cap;
    if (!atCap && share < BOUNDS.held) return [];
    const reached =
      share < BOUNDS.held
        ? `it sent ${percent(requestRate / maxRate)} of that, bound ${percent(BOUNDS.cap)}`
        : `its requests waited for that ${percent(share)} of the time, bound ${percent(BOUNDS.held)}`;
    return [
      `rate cap of worker ${name} reached: it may send ${formatRate(maxRate)} (--max-rate), and ${reached}`,
    ];
  });
  return evidence.length === 0
    ? undefined
    : { evidence, advice: 'more workers, or a higher --max-rate where the target is yours to load' };
}

export function sentLate({ summary: { sendLag, serviceTime } }: Evidence): Found | undefined {
  if (sendLag === undefined) return undefined;
  const bound = Math.max(BOUNDS.lateUs, BOUNDS.lateShare * (serviceTime?.p99 ?? 0));
  if (sendLag.p99 <= bound) return undefined;
  return {
    evidence: [
      `one arrival in a hundred was sent ${formatDuration(sendLag.p99)} or more after it was due, bound ${formatDuration(bound)}: that is another load than the one asked for`,
    ],
    advice: MORE_GENERATOR,
  };
}

export function busyGenerator(trial: Evidence): Found | undefined {
  const { summary, workers } = trial;
  const short = summary.durationUs < BOUNDS.shortestUs;
  const evidence = [
    ...(short ? [] : workers.flatMap((worker) => [...fullThreads(worker), ...fullProcess(worker)])),
    ...(short ? [] : fullHosts(trial)),
    ...lateLoop(trial),
  ];
  return evidence.length === 0 ? undefined : { evidence, advice: MORE_GENERATOR };
}

function fullThreads({ name, threads, threadLoads = [] }: ReportWorker): string[] {
  const full = threadLoads.filter(({ full }) => full >= BOUNDS.threadFullSeconds);
  if (full.length === 0) return [];
  const fullest = full.reduce((most, one) => (one.full > most.full ? one : most));
  const which = threads === 1 ? 'its one load thread' : `${full.length} of its ${threads} load threads`;
  const waiting =
    fullest.waited < BOUNDS.waited
      ? ''
      : `, ${percent(fullest.waited)} of it waiting for a core that others had`;
  return [
    `${name}: ${which} had no time left in ${percent(fullest.full)} of the seconds, bound ${percent(BOUNDS.threadFullSeconds)}: busy ${percent(fullest.cpu + fullest.waited)} of the time${waiting}`,
  ];
}

/** Where its threads do not tell, and of k6, which spreads over all cores by itself. */
function fullProcess({ name, threads, cpu, threadCpu = cpu, threadLoads }: ReportWorker): string[] {
  if (threadLoads !== undefined || threadCpu === undefined || threadCpu < threads * BOUNDS.cpu) return [];
  const of = threads === 1 ? 'its one load thread' : `its ${threads} load threads`;
  return [
    `${name} kept ${threadCpu.toFixed(2)} cores busy with ${of}, bound ${percent(BOUNDS.cpu)}: it could not send faster`,
  ];
}

/** A machine whose load threads got a core whenever they wanted one is busy with something else: its target, perhaps. */
function fullHosts({ hosts, workers }: Evidence): string[] {
  return hosts.flatMap(({ name, role, cpu, cores }) => {
    if (role !== 'worker' || cpu === undefined || cpu.busy.mean < BOUNDS.cpu) return [];
    const worker = workers.find((one) => one.name === name);
    const loads = worker?.threadLoads;
    if (loads?.every((one) => isAtLeisure(one) && one.waited < BOUNDS.waited) === true) return [];
    return [
      `${name}: all ${cores ?? ''} cores of its machine together were busy ${percent(cpu.busy.mean)} of the time, bound ${percent(BOUNDS.cpu)}`,
    ];
  });
}

function lateLoop({ summary: { loopDelay, latency } }: Evidence): string[] {
  if (loopDelay === undefined || latency.count === 0) return [];
  const bound = Math.max(BOUNDS.loopUs, BOUNDS.loopShare * latency.p50);
  if (loopDelay.p50 < bound) return [];
  return [
    `half of the load threads' timers came ${formatDuration(loopDelay.p50)} late or more, bound ${formatDuration(bound)}: replies that were there waited as long for the generator`,
  ];
}

export function reachedCapacity({ workers }: Evidence): Found | undefined {
  const evidence = workers.flatMap(({ name, requestRate, capacity, threadLoads }) => {
    if (capacity === undefined || requestRate < capacity * BOUNDS.capacity) return [];
    if (threadLoads?.every(isAtLeisure) === true) return [];
    return [
      `${name} sent ${requestRate.toFixed(0)}/s of the ${capacity.toFixed(0)}/s that it was measured to reach against itself, bound ${percent(BOUNDS.capacity)}`,
    ];
  });
  return evidence.length === 0 ? undefined : { evidence, advice: MORE_GENERATOR };
}

/** Samples that are read late hold k6 up: it writes them to a pipe. */
const LATE_SAMPLES = /^samples of k6 waited/;

export function scriptHeldUp({ summary: { script }, workers }: Evidence): Found | undefined {
  const { droppedIterations = 0, iterations = 0 } = script ?? {};
  const dropped = droppedIterations / Math.max(1, droppedIterations + iterations);
  const late = workers.flatMap(({ name, warnings = [] }) =>
    warnings.filter((warning) => LATE_SAMPLES.test(warning)).map((warning) => `${name}: ${warning}`),
  );
  if (dropped > BOUNDS.dropped) {
    const missing = `${droppedIterations} iterations were dropped for want of a free VU: ${percent(dropped, 1)} of them, bound ${percent(BOUNDS.dropped)}`;
    return {
      evidence: [missing, ...late],
      advice:
        'raise preAllocatedVUs and maxVUs in the script; where they wait for the target longer and longer, watch it with `worker observe`',
    };
  }
  return late.length === 0 ? undefined : { evidence: late, advice: MORE_GENERATOR };
}
