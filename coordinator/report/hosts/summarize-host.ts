/** A host's samples → what the report says of it: means by time, maxima of whole seconds, sums of what was counted. */
import type {
  CpuShares,
  HostFacts,
  HostSecond,
  InterfaceSecond,
} from '../../../shared/metrics/host-second.ts';
import type { HostRow, MeanMax, ReportHost, ReportInterface, ReportProcess } from './host-model.ts';
import { ETHERNET, type WireTerms, wireBits } from './wire.ts';

/**
 * The highest values are those of samples that are about a second, and lie in the measured time but for a little: what
 * is shorter is a moment, and what goes on after the load is diluted.
 */
const WHOLE_US = 500_000;
const INSIDE = 0.9;
/** Less than this of the load says nothing of it, unless there is no more. */
const LEAST_US = 50_000;

type Summarized = Omit<ReportHost, 'name' | 'role' | 'clockOffsetUs' | 'clockUncertaintyUs' | 'lost'>;

/** A sample, and how much of it lies in the measured time. */
interface Weighed {
  sample: HostSecond;
  weightUs: number;
}

/** @param path names of the interfaces that the load goes over */
export function summarizeHost(
  samples: readonly HostSecond[],
  facts: HostFacts | undefined,
  path: readonly string[],
  durationUs: number,
): Summarized {
  const inside = samples.filter(({ fromUs }) => fromUs < durationUs);
  const enough = inside.filter(({ fromUs }) => fromUs < durationUs - LEAST_US);
  const measured = (enough.length > 0 ? enough : inside)
    .sort((a, b) => a.fromUs - b.fromUs)
    .map((sample) => ({ sample, weightUs: Math.min(sample.lengthUs, durationUs - sample.fromUs) }));
  const terms = (name: string): WireTerms => termsOf(facts, name);
  const least = (of: (sample: HostSecond) => number | undefined): number | undefined => {
    const values = measured.flatMap(({ sample }) => of(sample) ?? []);
    return values.length === 0 ? undefined : Math.min(...values);
  };
  const runQueue = meanMax(measured, ({ runQueue }) => runQueue);
  const contextSwitches = meanMax(measured, (one) => perSecond(one.contextSwitches, one.lengthUs));
  const memoryAvailable = least(({ memory }) => memory?.availableBytes);
  const cpu = cpuOf(measured);
  const tcp = tcpOf(measured);
  const sockets = socketsOf(measured);
  const descriptors = fullest(measured.map(({ sample }) => sample.descriptors));
  return {
    ...(facts !== undefined && { hostname: facts.hostname, cores: facts.cores }),
    ...(facts?.machine !== undefined && { machine: facts.machine }),
    ...(facts?.unavailable !== undefined && { unavailable: facts.unavailable }),
    sampledUs: measured.reduce((sum, { weightUs }) => sum + weightUs, 0),
    ...(cpu !== undefined && { cpu }),
    ...(runQueue !== undefined && { runQueue }),
    ...(contextSwitches !== undefined && { contextSwitches }),
    ...(memoryAvailable !== undefined && { memoryAvailable }),
    processes: (facts?.processes ?? []).map((name) => processOf(name, measured)),
    interfaces: interfacesOf(measured, facts, path, terms),
    ...(tcp !== undefined && { tcp }),
    ...(sockets !== undefined && { sockets }),
    ...(descriptors !== undefined && { descriptors }),
    seconds: measured.map(({ sample, weightUs }) => rowOf(sample, weightUs, path, terms)),
  };
}

function termsOf(facts: HostFacts | undefined, name: string): WireTerms {
  const mtu = facts?.interfaces.find((one) => one.name === name)?.mtu ?? ETHERNET.mtu;
  return { ...ETHERNET, mtu, tcpTimestamps: facts?.tcpTimestamps ?? true };
}

/** Undefined where no sample has it. */
function meanMax(
  measured: readonly Weighed[],
  of: (sample: HostSecond, weightUs: number) => number | undefined,
): MeanMax | undefined {
  const known = measured.flatMap(({ sample, weightUs }) => {
    const value = of(sample, weightUs);
    return value === undefined ? [] : [{ value, weightUs, whole: isWhole(sample, weightUs) }];
  });
  if (known.length === 0) return undefined;
  const weight = known.reduce((sum, { weightUs }) => sum + weightUs, 0);
  const whole = known.filter((one) => one.whole);
  return {
    mean: known.reduce((sum, one) => sum + one.value * one.weightUs, 0) / weight,
    max: Math.max(...(whole.length > 0 ? whole : known).map(({ value }) => value)),
  };
}

function isWhole({ lengthUs }: HostSecond, weightUs: number): boolean {
  return weightUs >= WHOLE_US && weightUs >= lengthUs * INSIDE;
}

function perSecond(count: number | undefined, lengthUs: number): number | undefined {
  return count === undefined ? undefined : (count * 1e6) / lengthUs;
}

function busy({ idle, iowait }: CpuShares): number {
  return Math.max(0, 1 - idle - iowait);
}

function busiestCore({ cores }: HostSecond): number | undefined {
  return cores === undefined ? undefined : Math.max(...cores.map(busy));
}

function cpuOf(measured: readonly Weighed[]): ReportHost['cpu'] {
  const of = (value: (shares: CpuShares) => number) =>
    meanMax(measured, ({ cpu }) => (cpu === undefined ? undefined : value(cpu)));
  const all = of(busy);
  if (all === undefined) return undefined;
  const core = meanMax(measured, busiestCore);
  return {
    busy: all,
    user: of(({ user }) => user)!,
    system: of(({ system }) => system)!,
    iowait: of(({ iowait }) => iowait)!,
    steal: of(({ steal }) => steal)!,
    ...(core !== undefined && { busiestCore: core }),
  };
}

function tcpOf(measured: readonly Weighed[]): ReportHost['tcp'] {
  const told = measured.flatMap(({ sample }) => sample.tcp ?? []);
  if (told.length === 0) return undefined;
  const sum = (name: keyof (typeof told)[number]) => told.reduce((total, one) => total + one[name], 0);
  return {
    sentSegments: sum('sentSegments'),
    retransmits: sum('retransmits'),
    resets: sum('resets'),
    listenOverflows: sum('listenOverflows'),
    listenDrops: sum('listenDrops'),
  };
}

function socketsOf(measured: readonly Weighed[]): ReportHost['sockets'] {
  const of = (name: 'inUse' | 'established' | 'timeWait') =>
    meanMax(measured, ({ sockets }) => sockets?.[name]);
  const inUse = of('inUse');
  return inUse === undefined
    ? undefined
    : { inUse, established: of('established')!, timeWait: of('timeWait')! };
}

interface Filled {
  open: number;
  limit: number;
}

function fullest(all: readonly (Filled | undefined)[]): Filled | undefined {
  return all.reduce(
    (most, one) =>
      one !== undefined && (most === undefined || one.open / one.limit > most.open / most.limit) ? one : most,
    undefined,
  );
}

/** A process may be looked at less often than once a second; its own length is what its time is divided by. */
function processOf(name: string, measured: readonly Weighed[]): ReportProcess {
  const found = ({ processes }: HostSecond) => processes?.find((one) => one.name === name);
  const looked = measured.flatMap(({ sample }) => {
    const process = found(sample);
    return process === undefined ? [] : [{ process, sample: { ...sample, lengthUs: process.lengthUs } }];
  });
  if (looked.length === 0) return { name };
  const weighed = looked.map(({ sample }) => ({ sample, weightUs: sample.lengthUs }));
  const coresOf = (kind: 'userUs' | 'systemUs' | 'waitUs' | 'busiestThreadUs') =>
    meanMax(weighed, (sample) => {
      const { [kind]: us, lengthUs } = found(sample)!;
      return us === undefined ? undefined : us / lengthUs;
    });
  const waited = coresOf('waitUs');
  const busiestThread = coresOf('busiestThreadUs');
  const most = (of: 'residentBytes' | 'processes' | 'threads') =>
    Math.max(...looked.map(({ process }) => process[of]));
  const descriptors = fullest(looked.map(({ process }) => process.descriptors));
  const threadsRead = looked.flatMap(({ process }) => process.threadsRead ?? []);
  return {
    name,
    user: coresOf('userUs')!,
    system: coresOf('systemUs')!,
    ...(waited !== undefined && { waited }),
    ...(busiestThread !== undefined && { busiestThread }),
    residentBytes: most('residentBytes'),
    processes: most('processes'),
    threads: most('threads'),
    ...(threadsRead.length > 0 && { threadsRead: Math.min(...threadsRead) }),
    ...(descriptors !== undefined && { descriptors }),
  };
}

function interfacesOf(
  measured: readonly Weighed[],
  facts: HostFacts | undefined,
  path: readonly string[],
  terms: (name: string) => WireTerms,
): ReportInterface[] {
  const seen = measured.flatMap(({ sample }) => (sample.interfaces ?? []).map(({ name }) => name));
  const names = [...new Set([...path, ...seen])];
  return names.flatMap((name): ReportInterface[] => {
    const found = ({ interfaces }: HostSecond) => interfaces?.find((one) => one.name === name);
    const counted = measured.flatMap(({ sample }) => found(sample) ?? []);
    const sum = (of: keyof Omit<InterfaceSecond, 'name'>) =>
      counted.reduce((total, one) => total + one[of], 0);
    // Nothing is told of an interface that carried nothing in a second: that is 0, and no gap.
    const bits = (way: 'received' | 'sent') =>
      meanMax(measured, (sample, weightUs) => {
        const one = found(sample);
        return one === undefined ? 0 : (wireOf(one, way, terms(name)) * 1e6) / weightUs;
      });
    const [receivedBits, sentBits] = [bits('received'), bits('sent')];
    if (receivedBits === undefined || sentBits === undefined) return [];
    const known = facts?.interfaces.find((one) => one.name === name);
    const speed = known?.speedBitsPerSecond;
    return [
      {
        name,
        onPath: path.includes(name),
        ...(known?.loopback === true && { loopback: true }),
        ...(known?.mtu !== undefined && { mtu: known.mtu }),
        ...(speed !== undefined && { speedBitsPerSecond: speed, speedFrom: known!.speedFrom! }),
        bytes: { received: sum('receivedBytes'), sent: sum('sentBytes') },
        packets: { received: sum('receivedPackets'), sent: sum('sentPackets') },
        drops: { received: sum('receivedDrops'), sent: sum('sentDrops') },
        receivedBits,
        sentBits,
        ...(speed !== undefined && {
          receivedShare: { mean: receivedBits.mean / speed, max: receivedBits.max / speed },
          sentShare: { mean: sentBits.mean / speed, max: sentBits.max / speed },
        }),
      },
    ];
  });
}

function wireOf(one: InterfaceSecond, way: 'received' | 'sent', terms: WireTerms): number {
  return wireBits({ bytes: one[`${way}Bytes`], packets: one[`${way}Packets`] }, terms);
}

function rowOf(
  sample: HostSecond,
  weightUs: number,
  path: readonly string[],
  terms: (name: string) => WireTerms,
): HostRow {
  const { second, fromUs, lengthUs, cpu, interfaces, tcp, sockets, processes = [] } = sample;
  const core = busiestCore(sample);
  const bits = (way: 'received' | 'sent') =>
    (interfaces ?? [])
      .filter(({ name }) => path.includes(name))
      .reduce((sum, one) => sum + (wireOf(one, way, terms(one.name)) * 1e6) / weightUs, 0);
  const cores = processes.map(({ name, userUs, systemUs, lengthUs }) => [
    name,
    (userUs + systemUs) / lengthUs,
  ]);
  return {
    second,
    fromUs,
    lengthUs,
    ...(cpu !== undefined && { cpu: busy(cpu) }),
    ...(core !== undefined && { busiestCore: core }),
    ...(sample.runQueue !== undefined && { runQueue: sample.runQueue }),
    ...(interfaces !== undefined &&
      path.length > 0 && { receivedBits: bits('received'), sentBits: bits('sent') }),
    ...(tcp !== undefined && { retransmits: tcp.retransmits, listenOverflows: tcp.listenOverflows }),
    ...(sockets !== undefined && { timeWait: sockets.timeWait }),
    ...(cores.length > 0 && { processes: Object.fromEntries(cores) as Record<string, number> }),
  };
}
