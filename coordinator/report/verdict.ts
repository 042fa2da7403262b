/**
 * What limited a trial: the rules, in the order in which they are asked. The first that finds evidence decides. What the
 * generator did to itself comes before everything that may be said of a target; a link that is full comes before a busy
 * generator, because a generator with more to give could not send more over it. Pure.
 */
import { isOpenLoop, type LoadPlan } from '../../shared/domain/load-plan.ts';
import { formatDuration, formatRate } from '../../shared/domain/units.ts';
import { type ErrorClass, GENERATOR_ERRORS } from '../../shared/metrics/error-class.ts';
import type { Ledger } from '../../shared/metrics/ledger.ts';
import type { Stall } from '../../shared/metrics/stall.ts';
import type { Summary } from '../../shared/metrics/summary.ts';
import type { ReportHost, ReportProcess, ReportWire } from './hosts/host-model.ts';
import { speedText } from './hosts/host-text.ts';
import type { ReportScript, ReportWorker, Verdict } from './schema.ts';

/** Every number that decides, with what speaks for it. Shares are of 1, times in µs. */
export const BOUNDS = {
  /** Failures of the load machines themselves: most of the failures, and enough of them to matter. */
  ownFailures: 0.5,
  ownRequests: 0.01,
  /** Arrivals that are sent this late (p99), and by this much of the service time's p99, are another load. */
  lateUs: 10_000,
  lateShare: 0.2,
  /** Of a link's speed, over the whole load: its beginning and its end are in it. */
  link: 0.95,
  /** A link below this has room. */
  linkRoom: 0.8,
  /** Of the whole seconds: in most of them a load thread worked or waited for a core nearly all the time. */
  threadFullSeconds: 0.5,
  /** Of all cores, or of one, over the whole load. */
  cpu: 0.95,
  /** Of its time, a load thread that is at leisure: a queue in front of it would be short. */
  leisure: 0.7,
  /** A thread that waits for a core this much of its time is held up by others. */
  waited: 0.2,
  /** Below this a process's start outweighs the load. */
  shortestUs: 1_000_000,
  /** The median delay of an event loop's timers: this long, and this much of the median latency. */
  loopUs: 5_000,
  loopShare: 0.5,
  /** Of a worker's rate cap, and of the time of its connections spent waiting for it. */
  cap: 0.98,
  held: 0.05,
  /** Of what the worker reached against a target of its own. */
  capacity: 0.8,
  /** Of the segments sent; TCP halves its speed long before that. */
  retransmits: 0.01,
  fewestRetransmits: 20,
  /** Of the connections opened; one that finds the queue full is tried again after a second. */
  overflows: 0.01,
  fewestOverflows: 10,
  triedAgainUs: 900_000,
  /** A thread of an observed process that works or waits for a core this much of the time. */
  process: 0.9,
  descriptors: 0.95,
  iowait: 0.5,
  /** Arrivals: this many dropped is a load that was not carried, this many answered is one that was. */
  dropped: 0.01,
  answered: 0.99,
  /** Of the connections, on average; and of the time that they wait for replies. */
  connections: 0.8,
  /** Of the connections' time: below it they pause more than they wait. */
  pausing: 0.5,
  /** Of the latency up to the first byte, and so many times as long as a connect takes. */
  firstByte: 0.5,
  roundTrips: 5,
  /** Enough to keep both ends at work at a time. */
  connectionsPerThread: 4,
  failed: 0.5,
} as const;

export interface Evidence {
  load: LoadPlan;
  summary: Pick<
    Summary,
    | 'requests'
    | 'requestRate'
    | 'durationUs'
    | 'errors'
    | 'connections'
    | 'latency'
    | 'serviceTime'
    | 'connect'
    | 'firstByte'
    | 'sendLag'
    | 'loopDelay'
    | 'script'
  >;
  ledger: Pick<Ledger, 'planned' | 'dropped'>;
  stalls: readonly Stall[];
  workers: readonly ReportWorker[];
  hosts: readonly ReportHost[];
  wire?: ReportWire | undefined;
  script?: Pick<ReportScript, 'scenarios'> | undefined;
  /** The shortest connect to the target before the run. */
  connectUs?: number | undefined;
}

interface Found {
  evidence: string[];
  advice: string;
  inferred?: true;
}

type Rule = (trial: Evidence) => Found | undefined;

const RULES: readonly (readonly [Verdict['limit'], Rule])[] = [
  ['generator', ownFailures],
  ['generator', reachedCap],
  ['generator', sentLate],
  ['network', fullLink],
  ['generator', busyGenerator],
  ['generator', reachedCapacity],
  ['generator', scriptHeldUp],
  ['target', observedTarget],
  ['undecided', lostOrRefused],
  ['network', lossyNetwork],
  ['none', askedRateReached],
  ['none', mostlyPausing],
  ['target', busyCore],
  ['target', failingTarget],
  ['target', slowTarget],
];

export function verdictOf(trial: Evidence): Verdict {
  for (const [limit, rule] of RULES) {
    const found = rule(trial);
    if (found === undefined) continue;
    const { evidence, advice, inferred } = found;
    return { limit, ...(inferred && { inferred }), evidence, ...(advice !== '' && { advice }) };
  }
  return undecided(trial);
}

// ---- generator ---------------------------------------------------------------------------------------------------

const MENDS: Partial<Record<ErrorClass, string>> = {
  'local-ports':
    'keepAlive: true, more addresses (`worker start --local-address`), or net.ipv4.ip_local_port_range="1024 65535" on the workers',
  'local-fds': 'raise the limit in the shell that starts the worker: `ulimit -n 65536`',
  'not-allowed': 'let the workers load it: `worker start --allow`',
};

function ownFailures({ summary: { errors, requests } }: Evidence): Found | undefined {
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
function reachedCap({ load, workers, summary }: Evidence): Found | undefined {
  const { latency, serviceTime = latency } = summary;
  const evidence = workers.flatMap(({ name, requests, requestRate, maxRate, held }) => {
    if (maxRate === undefined) return [];
    const heldUs = held?.us ?? 0;
    const share = heldUs / Math.max(1, heldUs + requests * serviceTime.mean);
    const atCap = !isOpenLoop(load) && requestRate >= maxRate * BOUNDS.cap;
    if (!atCap && share < BOUNDS.held) return [];
    return [
      `rate cap of worker ${name} reached: it may send ${formatRate(maxRate)} (--max-rate), and its requests waited for that ${percent(share)} of the time, bound ${percent(BOUNDS.held)}`,
    ];
  });
  return evidence.length === 0
    ? undefined
    : { evidence, advice: 'more workers, or a higher --max-rate where the target is yours to load' };
}

function sentLate({ summary: { sendLag, serviceTime } }: Evidence): Found | undefined {
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

const MORE_GENERATOR =
  'more workers, more load threads (`worker start --threads`), or machines that do nothing else';

function busyGenerator(trial: Evidence): Found | undefined {
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

function isAtLeisure({ cpu, waited }: { cpu: number; waited: number }): boolean {
  return cpu + waited <= BOUNDS.leisure;
}

function lateLoop({ summary: { loopDelay, latency } }: Evidence): string[] {
  if (loopDelay === undefined || latency.count === 0) return [];
  const bound = Math.max(BOUNDS.loopUs, BOUNDS.loopShare * latency.p50);
  if (loopDelay.p50 < bound) return [];
  return [
    `half of the load threads' timers came ${formatDuration(loopDelay.p50)} late or more, bound ${formatDuration(bound)}: replies that were there waited as long for the generator`,
  ];
}

function reachedCapacity({ workers }: Evidence): Found | undefined {
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

function scriptHeldUp({ summary: { script }, workers }: Evidence): Found | undefined {
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

// ---- network -----------------------------------------------------------------------------------------------------

function fullLink({ wire }: Evidence): Found | undefined {
  const full = (wire?.links ?? []).filter(
    ({ loopback, share = 0 }) => loopback !== true && share >= BOUNDS.link,
  );
  if (full.length === 0) return undefined;
  return {
    evidence: full.map(({ host, interface: name, share, speedBitsPerSecond, receivedBits, sentBits }) => {
      const way = receivedBits > sentBits ? 'in' : 'out';
      const bits = Math.max(receivedBits, sentBits);
      return `${name} of ${host} carried ${(bits / 1e6).toFixed(1)} Mbit/s ${way}, with framing: ${percent(share!, 1)} of its ${speedText(speedBitsPerSecond!)}, bound ${percent(BOUNDS.link)}`;
    }),
    advice:
      'a faster link, smaller or compressed bodies, or more workers if the full links are theirs; the server can do no more here, whatever is changed on it',
  };
}

function lossyHosts({ hosts, wire }: Evidence): string[] {
  if (wire?.links.every(({ loopback }) => loopback === true) !== false) return [];
  return hosts.flatMap(({ name, tcp, interfaces }) => {
    const lossy: string[] = [];
    if (tcp !== undefined && tcp.retransmits >= BOUNDS.fewestRetransmits) {
      const share = tcp.retransmits / Math.max(1, tcp.sentSegments);
      if (share >= BOUNDS.retransmits)
        lossy.push(
          `${name} had to send ${tcp.retransmits} of ${tcp.sentSegments} TCP segments again: ${percent(share, 1)}, bound ${percent(BOUNDS.retransmits)}`,
        );
    }
    return [
      ...lossy,
      ...interfaces.flatMap(({ name: link, onPath, loopback, drops, packets }) => {
        const dropped = drops.received + drops.sent;
        const share = dropped / Math.max(1, packets.received + packets.sent);
        if (!onPath || loopback === true || dropped < BOUNDS.fewestRetransmits) return [];
        if (share < BOUNDS.retransmits) return [];
        return [
          `${link} of ${name} dropped ${dropped} packets: ${percent(share, 1)}, bound ${percent(BOUNDS.retransmits)}`,
        ];
      }),
    ];
  });
}

/** A SYN that is sent again may have been lost, or refused by a full listen queue: only the target's host knows. */
function lostOrRefused(trial: Evidence): Found | undefined {
  const { hosts, summary } = trial;
  const lossy = lossyHosts(trial);
  if (lossy.length === 0 || (summary.connect?.max ?? 0) < BOUNDS.triedAgainUs) return undefined;
  if (hosts.some(({ role, tcp }) => role === 'observer' && tcp !== undefined)) return undefined;
  return {
    evidence: [
      ...lossy,
      `a connect took ${formatDuration(summary.connect!.max)}: lost by the network, or by a full listen queue of the target`,
    ],
    advice: OBSERVE,
  };
}

function lossyNetwork(trial: Evidence): Found | undefined {
  const evidence = lossyHosts(trial);
  return evidence.length === 0
    ? undefined
    : { evidence, advice: 'look for cables, switches, duplex and queues (`ethtool -S`, `tc -s qdisc`)' };
}

// ---- target ------------------------------------------------------------------------------------------------------

const OBSERVE = '`worker observe` on the target’s host, with `--process` for the server';

function observedTarget(trial: Evidence): Found | undefined {
  const observed = trial.hosts.filter(({ role }) => role === 'observer');
  const evidence = [
    ...overflows(trial),
    ...observed.flatMap((host) => [...fullProcesses(host), ...fullTargetHost(host, trial)]),
  ];
  if (evidence.length === 0) return undefined;
  const leisure = leisureOf(trial);
  return {
    evidence: [...evidence, ...(leisure === undefined ? [] : [leisure])],
    advice: 'this is the target’s own limit: profile it, or compare its settings',
  };
}

/** Counted for all of a host's sockets: it is this load's queue when connections of this load were tried again. */
function overflows({ hosts, wire, summary }: Evidence): string[] {
  const { connect, latency, errors, connections } = summary;
  const slowest = Math.max(connect?.max ?? 0, latency.max);
  const refused = ['connect-timeout', 'timeout', 'reset', 'connect-refused'] as const;
  const turnedAway = refused.some((name) => (errors.byClass[name] ?? 0) > 0);
  if (slowest < BOUNDS.triedAgainUs && !turnedAway) return [];
  const own = wire?.links.every(({ loopback }) => loopback === true) === true;
  const bound = Math.max(BOUNDS.fewestOverflows, BOUNDS.overflows * connections.opened);
  // What a machine loads on itself goes through its own queues.
  const seen = hosts.filter(({ role }) => role === 'observer' || own);
  const host = seen.reduce<ReportHost | undefined>(
    (most, one) => ((one.tcp?.listenOverflows ?? 0) > (most?.tcp?.listenOverflows ?? 0) ? one : most),
    undefined,
  );
  if (host?.tcp === undefined || host.tcp.listenOverflows < bound) return [];
  return [
    `${host.name}: new connections found a listen queue full ${host.tcp.listenOverflows} times, bound ${Math.ceil(bound)}, and are tried again after a second: raise its backlog (and net.core.somaxconn), or accept faster`,
  ];
}

function fullTargetHost({ name, machine, cpu, cores, processes }: ReportHost, { hosts }: Evidence): string[] {
  if (cpu === undefined) return [];
  // Something else fills it, and the server gets its cores all the same.
  const served = processes.length > 0 && processes.every(getsItsCores);
  const shared = hosts.some((one) => one.role === 'worker' && (one.machine ?? one.name) === machine);
  return [
    ...(cpu.busy.mean >= BOUNDS.cpu && !shared && !served
      ? [
          `${name}: all ${cores ?? ''} cores together were busy ${percent(cpu.busy.mean)} of the time, bound ${percent(BOUNDS.cpu)}`,
        ]
      : []),
    ...(cpu.iowait.mean >= BOUNDS.iowait && !shared
      ? [
          `${name}: its cores waited for disks ${percent(cpu.iowait.mean)} of the time, bound ${percent(BOUNDS.iowait)}`,
        ]
      : []),
  ];
}

function getsItsCores({ user, system, waited, busiestThread }: ReportProcess): boolean {
  if (waited === undefined || busiestThread === undefined || busiestThread.mean >= BOUNDS.process)
    return false;
  const wanted = (user?.mean ?? 0) + (system?.mean ?? 0) + waited.mean;
  return waited.mean < wanted * BOUNDS.waited || waited.mean < 0.05;
}

function fullProcesses({ name: host, processes }: ReportHost): string[] {
  return processes.flatMap(({ name, user, system, waited, busiestThread, threads, descriptors }) => {
    const evidence: string[] = [];
    const cpu = (user?.mean ?? 0) + (system?.mean ?? 0);
    const wanted = cpu + (waited?.mean ?? 0);
    const held =
      waited !== undefined && waited.mean >= wanted * BOUNDS.waited
        ? `, and waited for ${waited.mean.toFixed(2)} more that others had`
        : '';
    if (busiestThread !== undefined && busiestThread.mean >= BOUNDS.process) {
      evidence.push(
        `${host}: the busiest of the threads of ${name} had no time left: busy ${percent(busiestThread.mean)} of the time, bound ${percent(BOUNDS.process)}; it used ${cpu.toFixed(2)} cores${held}`,
      );
    } else if (waited !== undefined && wanted >= BOUNDS.cpu && waited.mean >= wanted * 0.5) {
      evidence.push(
        `${host}: ${name} wanted ${wanted.toFixed(2)} cores and got ${cpu.toFixed(2)}: something else uses them`,
      );
    } else if (busiestThread === undefined && threads === 1 && cpu >= BOUNDS.cpu) {
      evidence.push(
        `${host}: the one thread of ${name} was busy ${percent(cpu)} of the time, bound ${percent(BOUNDS.cpu)}`,
      );
    }
    if (descriptors !== undefined && descriptors.open >= descriptors.limit * BOUNDS.descriptors) {
      evidence.push(
        `${host}: ${name} had ${descriptors.open} of ${descriptors.limit} file descriptors open, bound ${percent(BOUNDS.descriptors)}`,
      );
    }
    return evidence;
  });
}

/** Of a server of one thread that nobody has named. Something else may be what keeps it busy. */
function busyCore(trial: Evidence): Found | undefined {
  const workers = new Set(
    trial.hosts.flatMap((one) => (one.role === 'worker' ? [one.machine ?? one.name] : [])),
  );
  const evidence = trial.hosts.flatMap(({ name, role, machine, cpu, cores }) => {
    if (role !== 'observer' || workers.has(machine ?? name)) return [];
    const busiest = cpu?.busiestCore?.mean ?? 0;
    return busiest < BOUNDS.cpu
      ? []
      : [
          `${name}: one of its ${cores ?? ''} cores was busy ${percent(busiest)} of the time, bound ${percent(BOUNDS.cpu)}`,
        ];
  });
  const leisure = leisureOf(trial);
  if (evidence.length === 0 || leisure === undefined) return undefined;
  return {
    evidence: [...evidence, leisure],
    advice: `does the server work in one thread only? Name it: ${OBSERVE}`,
    inferred: true,
  };
}

const TURNED_DOWN: readonly ErrorClass[] = ['connect-refused', 'reset', 'closed-early', 'status', 'timeout'];

function failingTarget(trial: Evidence): Found | undefined {
  const { errors, requests } = trial.summary;
  const finished = requests + errors.total;
  const counts = TURNED_DOWN.flatMap((name) =>
    errors.byClass[name] === undefined ? [] : [`${name} ${errors.byClass[name]}`],
  );
  const turned = TURNED_DOWN.reduce((sum, name) => sum + (errors.byClass[name] ?? 0), 0);
  if (finished === 0 || turned < finished * BOUNDS.failed) return undefined;
  return {
    evidence: [
      `${turned} of ${finished} requests failed at the target (${counts.join(', ')}), bound ${percent(BOUNDS.failed)}; inferred, for nobody watched its host`,
    ],
    advice: `the target's own log at that time; ${OBSERVE}`,
    inferred: true,
  };
}

function slowTarget(trial: Evidence): Found | undefined {
  const leisure = leisureOf(trial);
  const waiting = waitingForReplies(trial);
  const slow = slowFirstByte(trial);
  if (leisure === undefined || waiting === undefined || slow === undefined) return undefined;
  if (Math.max(0, ...linksWithSpeed(trial).map(({ share = 0 }) => share)) > BOUNDS.linkRoom) return undefined;
  const { stalls } = trial;
  const stalled = stalls.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    evidence: [
      `inferred, for nobody saw the target at a limit: ${waiting}`,
      slow,
      leisure,
      ...(stalled === 0 ? [] : [`for ${stalled} s no reply came at all`]),
    ],
    advice: watched(trial)
      ? 'the target waits for something that its host does not show: locks, a pool of threads or connections, another host behind it'
      : `to be sure: ${OBSERVE}`,
    inferred: true,
  };
}

/** Connections that waited for a reply, on average (Little's law). */
function inUse({
  summary: { requestRate, latency, serviceTime = latency },
}: Pick<Evidence, 'summary'>): number {
  return (requestRate * serviceTime.mean) / 1e6;
}

/** How the connections of the load were taken up by the target; undefined where they were not. */
function waitingForReplies(trial: Evidence): string | undefined {
  const { load, summary, ledger } = trial;
  if (summary.latency.count === 0) return undefined;
  const mean = inUse(trial);
  if (isOpenLoop(load)) {
    const { planned = 0, dropped } = ledger;
    const share = mean / load.maxConnections;
    const busy = `on average ${mean.toFixed(1)} of ${load.maxConnections} connections waited for a reply`;
    if (dropped > planned * BOUNDS.dropped && share >= BOUNDS.pausing)
      return `${dropped} of ${planned} arrivals were dropped, ${busy}`;
    return share >= BOUNDS.connections ? busy : undefined;
  }
  if (load.executor !== 'constant-connections') return undefined;
  const share = mean / load.connections;
  return share < BOUNDS.connections
    ? undefined
    : `the ${load.connections === 1 ? 'connection' : `${load.connections} connections`} waited for replies ${percent(Math.min(1, share))} of the time, bound ${percent(BOUNDS.connections)}`;
}

/**
 * The first byte took far longer than the way there and back; undefined where it did not, or the way is not known. Over
 * loopback there is none to speak of, but with few connections neither side is waited for while the other is at work.
 */
function slowFirstByte(trial: Evidence): string | undefined {
  const { summary, connectUs, wire, workers } = trial;
  const { firstByte, latency, serviceTime = latency, connect } = summary;
  if (firstByte !== undefined && wire?.links.every(({ loopback }) => loopback === true) === true) {
    const threads = workers.reduce((sum, worker) => sum + worker.threads, 0);
    if (
      inUse(trial) >= BOUNDS.connectionsPerThread * threads &&
      firstByte.p50 >= serviceTime.p50 * BOUNDS.firstByte
    )
      return `half of the first bytes took ${formatDuration(firstByte.p50)} or more, and there is no network in between`;
  }
  const roundTrips = [connectUs, connect !== undefined && connect.count > 0 ? connect.min : undefined];
  const known = roundTrips.filter((us) => us !== undefined);
  if (firstByte === undefined || known.length === 0) return undefined;
  const roundTripUs = Math.min(...known);
  if (firstByte.p50 < serviceTime.p50 * BOUNDS.firstByte || firstByte.p50 < roundTripUs * BOUNDS.roundTrips)
    return undefined;
  return `half of the first bytes took ${formatDuration(firstByte.p50)} or more, a connect as little as ${formatDuration(roundTripUs)}: bound ${BOUNDS.roundTrips} times as much`;
}

// ---- none --------------------------------------------------------------------------------------------------------

function askedRateReached(trial: Evidence): Found | undefined {
  const { load, summary, ledger } = trial;
  const leisure = leisureOf(trial);
  if (leisure === undefined) return undefined;
  if (load.executor === 'script') return scriptReached(trial, leisure);
  if (!isOpenLoop(load) || ledger.planned === undefined) return undefined;
  const { requests, requestRate } = summary;
  const answered = requests / Math.max(1, ledger.planned);
  const mean = inUse(trial);
  if (answered < BOUNDS.answered || mean > load.maxConnections * BOUNDS.connections) return undefined;
  return {
    evidence: [
      `${percent(answered, 1)} of ${ledger.planned} arrivals were answered, bound ${percent(BOUNDS.answered)}, ${requestRate.toFixed(1)}/s, with ${mean.toFixed(1)} of ${load.maxConnections} connections in use on average`,
      leisure,
    ],
    advice: 'nothing was at its limit: ask for a higher rate to find one',
  };
}

function scriptReached({ script, summary }: Evidence, leisure: string): Found | undefined {
  const executors = Object.values(script?.scenarios ?? {});
  const paced = executors.length > 0 && executors.every((executor) => executor.endsWith('arrival-rate'));
  if (!paced || summary.script === undefined || summary.errors.total > 0) return undefined;
  if (summary.script.droppedIterations > 0) return undefined;
  return {
    evidence: [
      `all iterations that were due were started: ${summary.script.iterations}, none dropped`,
      leisure,
    ],
    advice: 'nothing was at its limit: ask for a higher rate to find one',
  };
}

function mostlyPausing({ load, summary }: Evidence): Found | undefined {
  if (load.executor !== 'constant-connections' || load.thinkTime === undefined) return undefined;
  const share = inUse({ summary }) / load.connections;
  if (summary.latency.count === 0 || share > BOUNDS.pausing || summary.errors.total > 0) return undefined;
  return {
    evidence: [
      `the connections paused, as they were asked to, and waited for replies only ${percent(share)} of the time, bound ${percent(BOUNDS.pausing)}`,
    ],
    advice: 'nothing was at its limit: more connections, or shorter pauses, to find one',
  };
}

// ---- undecided ---------------------------------------------------------------------------------------------------

/** That the generator had room, as a sentence; undefined where it had not, or where that is not known. */
function leisureOf({ workers, summary }: Evidence): string | undefined {
  const used = usedOf(workers);
  if (used === undefined || used > BOUNDS.leisure || workers.length === 0) return undefined;
  const { loopDelay, latency } = summary;
  if (loopDelay !== undefined && loopDelay.p50 >= Math.max(BOUNDS.loopUs, BOUNDS.loopShare * latency.p50))
    return undefined;
  return `the generator had room: its busiest load thread was busy ${percent(used)} of the time, bound ${percent(BOUNDS.leisure)}`;
}

/** Of the busiest thread, or where threads do not tell the busiest worker's cores; undefined where one does not tell. */
function usedOf(workers: readonly ReportWorker[]): number | undefined {
  const used = workers.map(({ threadLoads, cpu, threadCpu = cpu, threads }) =>
    threadLoads !== undefined
      ? Math.max(...threadLoads.map(({ cpu, waited }) => cpu + waited))
      : threadCpu === undefined
        ? undefined
        : threadCpu / threads,
  );
  return used.includes(undefined) ? undefined : Math.max(0, ...(used as number[]));
}

function linksWithSpeed({ wire }: Evidence): ReportWire['links'] {
  return (wire?.links ?? []).filter(
    ({ loopback, speedBitsPerSecond }) => loopback !== true && speedBitsPerSecond !== undefined,
  );
}

function watched({ hosts }: Evidence): boolean {
  return hosts.some(({ role, cpu }) => role === 'observer' && cpu !== undefined);
}

function undecided(trial: Evidence): Verdict {
  const { summary, workers, wire } = trial;
  if (summary.durationUs < BOUNDS.shortestUs)
    return {
      limit: 'undecided',
      evidence: ['the load lasted less than a second: too short to tell'],
      advice: 'a longer load: `-t 10`, or `duration: 10s`',
    };
  const used = usedOf(workers);
  const links = linksWithSpeed(trial);
  const remote = (wire?.links ?? []).some(({ loopback }) => loopback !== true);
  const fullest = links.reduce((most, { share = 0 }) => Math.max(most, share), 0);
  const evidence = [
    used === undefined
      ? 'not every worker told how busy it was'
      : `no load thread was at its limit: the busiest was busy ${percent(used)} of the time`,
    ...(links.length > 0 ? [`no link was full: at most ${percent(fullest)} of its speed`] : []),
    ...(remote && links.length === 0 ? ['how fast the links are is not known'] : []),
    watched(trial) ? 'nothing that was watched at the target was at its limit' : 'nobody watched the target',
  ];
  const missing = [
    ...(watched(trial) ? [] : [OBSERVE]),
    ...(remote && links.length === 0 ? ['`--link-speed 1gbit` for the workers'] : []),
  ];
  const more = 'more connections, to see whether the rate or only the latency grows';
  return {
    limit: 'undecided',
    evidence,
    advice: missing.length === 0 ? more : `to decide it: ${missing.join('; ')}`,
  };
}

function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}
