/** A trial's hosts and the way of its load as tables and sentences: the same in text, md and html. */
import { formatDuration, formatSize } from '../../../shared/domain/units.ts';
import type { Fact } from '../fact.ts';
import type { ReportTrial } from '../schema.ts';
import type { TableModel } from '../table-model.ts';
import { plain } from '../text-line.ts';
import type { ReportHost, ReportProcess, ReportWire, WireParts } from './host-model.ts';

export interface HostTable extends TableModel {
  notes: string[];
}

/** Left out, first to last, where the table is wider than the terminal; the JSON has them all. */
export const SPARED_OF_HOSTS = ['files', 'steal', 'iowait', 'run queue', 'TIME_WAIT', 'system', 'user'];

/** A row a machine: workers on one machine see the same. Undefined where no host told anything. */
export function hostTable({ hosts }: ReportTrial, spared: readonly string[] = []): HostTable | undefined {
  const machines = byMachine(hosts.filter(({ cpu }) => cpu !== undefined));
  if (machines.length === 0) return undefined;
  const heads = [
    'cpu',
    'user',
    'system',
    'iowait',
    'steal',
    'busiest core',
    'run queue',
    'retransmits',
    'overflows',
    'TIME_WAIT',
    'files',
  ].filter((head) => !spared.includes(head));
  return {
    head: ['Host', ...heads],
    rows: machines.map((same) => {
      const cells = hostCells(same[0]!);
      return [plain(same.map(({ name }) => name).join(', ')), ...heads.map((head) => cells[head] ?? '-')];
    }),
    right: heads.map((_, i) => i + 1),
    notes: ['means over the load; busiest core: its highest second; overflows of listen queues'],
  };
}

function hostCells({ cpu, runQueue, tcp, sockets, descriptors }: ReportHost): Record<string, string> {
  return {
    ...(cpu !== undefined && {
      cpu: percent(cpu.busy.mean),
      user: percent(cpu.user.mean),
      system: percent(cpu.system.mean),
      iowait: percent(cpu.iowait.mean),
      steal: percent(cpu.steal.mean),
      ...(cpu.busiestCore !== undefined && { 'busiest core': percent(cpu.busiestCore.max) }),
    }),
    ...(runQueue !== undefined && { 'run queue': runQueue.mean.toFixed(1) }),
    ...(tcp !== undefined && {
      retransmits: String(tcp.retransmits),
      overflows: String(tcp.listenOverflows),
    }),
    ...(sockets !== undefined && { TIME_WAIT: String(sockets.timeWait.max) }),
    ...(descriptors !== undefined && { files: String(descriptors.open) }),
  };
}

/** Those that see the same CPUs and interfaces; an observer is one of its own, for its processes are. */
function byMachine(hosts: readonly ReportHost[]): ReportHost[][] {
  const machines = new Map<string, ReportHost[]>();
  for (const host of hosts) {
    const key = host.role === 'observer' ? host.name : `machine ${host.machine ?? host.name}`;
    machines.set(key, [...(machines.get(key) ?? []), host]);
  }
  return [...machines.values()];
}

export const SPARED_OF_PROCESSES = ['files', 'processes/threads', 'memory', 'most'];

/** CPU of the chosen processes, in cores; undefined where none was chosen. Workers' own are in the table of workers. */
export function processTable({ hosts }: ReportTrial, spared: readonly string[] = []): HostTable | undefined {
  const chosen = hosts.flatMap(({ name: host, role, processes }) =>
    role === 'observer' ? processes.map((process) => ({ host, process })) : [],
  );
  if (chosen.length === 0) return undefined;
  const all = ['user', 'system', 'most', 'memory', 'processes/threads', 'files'];
  const heads = all.filter((head) => !spared.includes(head));
  return {
    head: ['Process', 'host', ...heads],
    rows: chosen.map(({ host, process }) => {
      const cells = processCells(process);
      return [plain(process.name), plain(host), ...heads.map((head) => cells[head] ?? '-')];
    }),
    right: heads.map((_, i) => i + 2),
    notes: ['cores kept busy, with all children', ...chosen.flatMap(({ process }) => readInPart(process))],
  };
}

function readInPart({ name, threads, threadsRead }: ReportProcess): string[] {
  return threadsRead === undefined
    ? []
    : [
        `${plain(name)}: what its threads waited for a core is known of ${threadsRead} of ${threads} at a time, the busy ones`,
      ];
}

function processCells(process: ReportProcess): Record<string, string> {
  const { user, system, residentBytes, processes, threads, descriptors } = process;
  if (user === undefined || system === undefined) return { user: 'not there' };
  return {
    user: user.mean.toFixed(2),
    system: system.mean.toFixed(2),
    most: (user.max + system.max).toFixed(2),
    ...(residentBytes !== undefined && { memory: formatSize(residentBytes) }),
    ...(processes !== undefined && { 'processes/threads': `${processes}/${threads}` }),
    ...(descriptors !== undefined && { files: `${descriptors.open} of ${descriptors.limit}` }),
  };
}

/** What the interfaces on the way carried; undefined where none is known. */
export function linkTable({ wire }: ReportTrial): TableModel | undefined {
  if (wire === undefined) return undefined;
  const rows = wire.links.map((link) => [
    plain(link.interface),
    plain(link.host),
    link.role,
    (link.receivedBits / 1e6).toFixed(2),
    (link.sentBits / 1e6).toFixed(2),
    link.speedBitsPerSecond === undefined ? '-' : speedText(link.speedBitsPerSecond),
    link.share === undefined ? '-' : percent(link.share),
  ]);
  const head = ['Link', 'host', 'of a', 'in Mbit/s', 'out Mbit/s', 'speed', 'used'];
  return { head, rows, right: [3, 4, 5, 6] };
}

/** Framing, and what the narrowest link could carry. Nothing where the way is not known, or never leaves the machine. */
export function wireFacts({ wire, summary }: ReportTrial): Fact[] {
  if (wire === undefined || wire.links.every(({ loopback }) => loopback === true)) return [];
  return [
    ['On the wire', `${partsText(wire.replies)} of replies\n${partsText(wire.requests)} of requests`],
    ...ceilingFacts(wire, summary.requestRate),
  ];
}

/** `97.19 Mbit/s = 94.65 bodies + 0.58 heads + 0.98 IP and TCP + 0.98 Ethernet`. */
function partsText({ body, head, tcpIp, ethernet, total }: WireParts): string {
  const parts = [
    ...(body > 0 ? [`${megabits(body)} bodies`] : []),
    `${megabits(head)} heads`,
    `${megabits(tcpIp)} IP and TCP`,
    `${megabits(ethernet)} Ethernet`,
  ];
  return `${megabits(total)} Mbit/s = ${parts.join(' + ')}`;
}

function ceilingFacts({ ceiling, perRequest }: ReportWire, requestRate: number): Fact[] {
  if (ceiling === undefined) return [];
  const { link, bitsPerSecond, body, direction, reached } = ceiling;
  const connections = perRequest.connections > 0.5 ? 'a connection each' : 'connections kept alive';
  const size = `${Math.round(perRequest.body)} B bodies, ${Math.round(perRequest.head)} B heads, ${connections}`;
  const filled = direction === 'replies' ? '' : ', by its requests and acknowledgements';
  return [
    [
      'Ceiling',
      plain(
        `${ceiling.requestRate.toFixed(1)}/s (${formatSize(body)}/s of bodies): ${speedText(bitsPerSecond)} of ${link}${filled}, ` +
          `${size}; ${requestRate.toFixed(1)}/s is ${percent(reached, 1)} of it`,
      ),
    ],
  ];
}

/** Hosts that are missing from the numbers, or end before the load does. */
export function hostFacts({ hosts }: Pick<ReportTrial, 'hosts'>): Fact[] {
  return hosts.flatMap(({ name, role, lost, unavailable, cpu }): Fact[] => {
    const who = `${role} ${name}`;
    if (lost !== undefined && role === 'observer')
      return [['HOST LOST', plain(`${who} at ${formatDuration(Math.max(0, lost.atUs))}: ${lost.reason}`)]];
    if (unavailable !== undefined) return [['Host', plain(`${who}: ${unavailable}`)]];
    return cpu === undefined && role === 'observer' ? [['Host', plain(`${who}: no sample came in`)]] : [];
  });
}

/** `100 Mbit/s`, `2.5 Gbit/s`. */
export function speedText(bitsPerSecond: number): string {
  const units: [string, number][] = [
    ['Gbit/s', 1e9],
    ['Mbit/s', 1e6],
    ['kbit/s', 1e3],
  ];
  const [name, scale] = units.find(([, scale]) => bitsPerSecond >= scale) ?? ['bit/s', 1];
  return `${Number((bitsPerSecond / scale).toPrecision(4))} ${name}`;
}

function megabits(bitsPerSecond: number): string {
  return (bitsPerSecond / 1e6).toFixed(2);
}

function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}
