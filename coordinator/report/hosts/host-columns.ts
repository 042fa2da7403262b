/** Hosts as columns of `csv` and `tsv`: `host.NAME.…`, only where there are any; what is not known is empty. */
import type { ReportTrial } from '../schema.ts';
import { plain } from '../text-line.ts';
import type { ReportHost, ReportInterface, ReportProcess } from './host-model.ts';

type Value = number | undefined;

export interface HostColumn {
  head: string;
  value: (trial: ReportTrial) => Value;
}

const FIELDS: [head: string, of: (host: ReportHost) => Value][] = [
  ['cpu_busy_share', ({ cpu }) => cpu?.busy.mean],
  ['cpu_user_share', ({ cpu }) => cpu?.user.mean],
  ['cpu_system_share', ({ cpu }) => cpu?.system.mean],
  ['busiest_core_share', ({ cpu }) => cpu?.busiestCore?.max],
  ['received_wire_bits_per_s', (host) => onPath(host, ({ receivedBits }) => receivedBits.mean)],
  ['sent_wire_bits_per_s', (host) => onPath(host, ({ sentBits }) => sentBits.mean)],
  ['retransmits', ({ tcp }) => tcp?.retransmits],
  ['listen_overflows', ({ tcp }) => tcp?.listenOverflows],
  ['time_wait_max', ({ sockets }) => sockets?.timeWait.max],
];

const PROCESS_FIELDS: [head: string, of: (process: ReportProcess) => Value][] = [
  ['user_cores', ({ user }) => user?.mean],
  ['system_cores', ({ system }) => system?.mean],
  ['resident_bytes_max', ({ residentBytes }) => residentBytes],
];

function onPath({ interfaces }: ReportHost, of: (one: ReportInterface) => number): Value {
  const path = interfaces.filter((one) => one.onPath);
  return path.length === 0 ? undefined : path.reduce((sum, one) => sum + of(one), 0);
}

export function hostColumns(trials: readonly ReportTrial[]): HostColumn[] {
  const hosts = trials.flatMap((trial) => trial.hosts);
  const named = new Map(hosts.map((host) => [host.name, host]));
  const columns = [...named].flatMap(([name, { processes }]): HostColumn[] => {
    const of = ({ hosts }: ReportTrial) => hosts.find((host) => host.name === name);
    const head = `host.${plain(name)}`;
    return [
      ...FIELDS.map(([field, value]) => ({
        head: `${head}.${field}`,
        value: (trial: ReportTrial) => {
          const host = of(trial);
          return host === undefined ? undefined : value(host);
        },
      })),
      ...processes.flatMap(({ name: process }) =>
        PROCESS_FIELDS.map(([field, value]) => ({
          head: `${head}.process.${plain(process)}.${field}`,
          value: (trial: ReportTrial) => {
            const found = of(trial)?.processes.find((one) => one.name === process);
            return found === undefined ? undefined : value(found);
          },
        })),
      ),
    ];
  });
  const ceilings = trials.some(({ wire }) => wire?.ceiling !== undefined);
  if (!ceilings) return columns;
  return [
    ...columns,
    { head: 'ceiling_requests_per_s', value: ({ wire }) => wire?.ceiling?.requestRate },
    { head: 'ceiling_reached_share', value: ({ wire }) => wire?.ceiling?.reached },
  ];
}
