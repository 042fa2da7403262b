/** Hosts as the report shows them: a trial's `hosts[]`. Times in µs, sizes in bytes, rates a second, shares 0 to 1. */
import type { HostRole } from '../../../shared/protocol/messages.ts';

/** Over the measured time: the mean by time, and the highest of whole seconds. */
export interface MeanMax {
  mean: number;
  max: number;
}

export interface ReportHost {
  /** Of the worker or observer that sampled it. */
  name: string;
  role: HostRole;
  /** Absent when it never said, as are the cores. */
  hostname?: string;
  /** The same for workers and observers that see the same CPUs and interfaces. */
  machine?: string;
  cores?: number;
  /** Host's clock minus coordinator's, and how far off that may be. */
  clockOffsetUs: number;
  clockUncertaintyUs: number;
  /** Why nothing is known of it. */
  unavailable?: string;
  /** Its samples end here. */
  lost?: { atUs: number; reason: string };
  /** How much of the measured time there are samples of. */
  sampledUs: number;
  /** Shares of all cores; `busiestCore` of one. */
  cpu?: {
    busy: MeanMax;
    user: MeanMax;
    system: MeanMax;
    iowait: MeanMax;
    steal: MeanMax;
    busiestCore?: MeanMax;
  };
  runQueue?: MeanMax;
  contextSwitches?: MeanMax;
  /** Bytes available, at the least. */
  memoryAvailable?: number;
  /** In the order in which they were chosen; also those that were never there. */
  processes: ReportProcess[];
  /** Those that are on the way of the load first. */
  interfaces: ReportInterface[];
  /** Counted in the measured time. */
  tcp?: {
    sentSegments: number;
    retransmits: number;
    resets: number;
    listenOverflows: number;
    listenDrops: number;
  };
  sockets?: { inUse: MeanMax; established: MeanMax; timeWait: MeanMax };
  /** Of the whole system, at the most. */
  descriptors?: { open: number; limit: number };
  seconds: HostRow[];
}

export interface ReportProcess {
  name: string;
  /** Absent when it was never there. Cores kept busy. */
  user?: MeanMax;
  system?: MeanMax;
  /** Cores that its threads waited for, and how much of its time the busiest of them worked or waited for one. */
  waited?: MeanMax;
  busiestThread?: MeanMax;
  /** At the most. */
  residentBytes?: number;
  processes?: number;
  threads?: number;
  /** Of how many of them `waited` and `busiestThread` are, at the least; absent where they are of all. */
  threadsRead?: number;
  /** When it was closest to its limit. */
  descriptors?: { open: number; limit: number };
}

export interface ReportInterface {
  name: string;
  /** The load goes over it. */
  onPath: boolean;
  loopback?: boolean;
  mtu?: number;
  /** Absent where neither the kernel nor the operator says; the shares are then too. */
  speedBitsPerSecond?: number;
  speedFrom?: 'operator' | 'kernel';
  /** As it was counted. */
  bytes: { received: number; sent: number };
  packets: { received: number; sent: number };
  drops: { received: number; sent: number };
  /** Bits a second on the wire, with framing (see `wire.ts`). */
  receivedBits: MeanMax;
  sentBits: MeanMax;
  receivedShare?: MeanMax;
  sentShare?: MeanMax;
}

/** One sample, beside the traffic's second of the same number. */
export interface HostRow {
  second: number;
  /** When it really began, since the start instant, and how long it was. */
  fromUs: number;
  lengthUs: number;
  /** Shares. */
  cpu?: number;
  busiestCore?: number;
  runQueue?: number;
  /** Of the interfaces on the way, bits a second on the wire. */
  receivedBits?: number;
  sentBits?: number;
  retransmits?: number;
  listenOverflows?: number;
  timeWait?: number;
  /** Cores kept busy, by the process's name. */
  processes?: Record<string, number>;
}

/** The way of the load, and what it carries there. */
export interface ReportWire {
  /** Of a request on average, bytes. */
  perRequest: { body: number; head: number; sent: number; connections: number };
  /** Bits a second by which one direction of the wire is occupied at the measured rate, by what they are. */
  replies: WireParts;
  requests: WireParts;
  links: ReportLink[];
  /** How much of this load the narrowest link could carry; absent where no link's speed is known. */
  ceiling?: {
    /** What is narrowest: one interface, or those of all workers together. */
    link: string;
    bitsPerSecond: number;
    requestRate: number;
    /** Bytes a second. */
    received: number;
    body: number;
    direction: 'replies' | 'requests';
    /** Measured request rate over this one. */
    reached: number;
  };
}

export interface WireParts {
  body: number;
  head: number;
  tcpIp: number;
  ethernet: number;
  total: number;
}

export interface ReportLink {
  host: string;
  role: HostRole;
  interface: string;
  loopback?: boolean;
  receivedBits: number;
  sentBits: number;
  speedBitsPerSecond?: number;
  /** Of the direction that is fuller. */
  share?: number;
}
