/**
 * What one host did in one second of a trial, as plain data: differences of counters, and what there was at the second's
 * end. What a host's system does not tell is absent. Sizes in bytes, times in µs.
 */

/** What every core was doing, as shares of the time, 0 to 1; they add up to 1. */
export interface CpuShares {
  /** With `nice`. */
  user: number;
  /** With interrupts. */
  system: number;
  iowait: number;
  /** Taken away by the hypervisor. */
  steal: number;
  idle: number;
}

/** Counted in the second. */
export interface InterfaceSecond {
  name: string;
  receivedBytes: number;
  sentBytes: number;
  receivedPackets: number;
  sentPackets: number;
  receivedDrops: number;
  sentDrops: number;
}

/** Counted in the second, over IPv4 and IPv6; of the host's network namespace. */
export interface TcpSecond {
  sentSegments: number;
  retransmits: number;
  /** Connections that were reset, by either side. */
  resets: number;
  /** New connections that found the listen queue full, and those dropped for any reason. */
  listenOverflows: number;
  listenDrops: number;
}

/** TCP sockets at the end of the second; of the host's network namespace. */
export interface SocketsNow {
  /** All that are not in TIME_WAIT. */
  inUse: number;
  established: number;
  timeWait: number;
  /** Closed by their process, and not yet by the other side. */
  orphaned: number;
}

export interface DescriptorsNow {
  open: number;
  limit: number;
}

/** A chosen process with all of its children. */
export interface ProcessSecond {
  /** As it was chosen. */
  name: string;
  /** Since it was last looked at: a second, or more where there are very many. */
  lengthUs: number;
  userUs: number;
  systemUs: number;
  /**
   * What all its threads waited for a core, and what the busiest of them worked and waited for one; absent where the
   * system does not tell.
   */
  waitUs?: number;
  busiestThreadUs?: number;
  /** Of how many of its threads these two are; absent where they are of all. */
  threadsRead?: number;
  /** Pages that processes share are counted in each of them. */
  residentBytes: number;
  processes: number;
  threads: number;
  /** Of the process that comes closest to its limit; absent where this user may not look. */
  descriptors?: DescriptorsNow;
}

export interface HostSecond {
  /** Of the trial, from 0. */
  second: number;
  /** When it really began and how long it was: µs since the trial's start instant, on the coordinator's clock. */
  fromUs: number;
  lengthUs: number;
  /** All cores together. */
  cpu?: CpuShares;
  /** By number. */
  cores?: CpuShares[];
  contextSwitches?: number;
  /** Processes that run or wait for a core, and those that wait for a disk, at the end of the second. */
  runQueue?: number;
  blocked?: number;
  memory?: { totalBytes: number; availableBytes: number };
  /** Those that carried anything. */
  interfaces?: InterfaceSecond[];
  tcp?: TcpSecond;
  sockets?: SocketsNow;
  /** Of the whole system. */
  descriptors?: DescriptorsNow;
  /** Those that there were. */
  processes?: ProcessSecond[];
}

export interface InterfaceFacts {
  name: string;
  addresses: string[];
  loopback?: boolean;
  mtu?: number;
  /** Absent where neither the kernel nor the operator says. */
  speedBitsPerSecond?: number;
  speedFrom?: 'operator' | 'kernel';
  /** The operator named it. */
  chosen?: boolean;
  /** The way from here to the trial's target. */
  toTarget?: boolean;
}

/** What a host says of itself before it is sampled. */
export interface HostFacts {
  hostname: string;
  /** The same for processes that see the same CPUs and interfaces; absent where the system does not tell. */
  machine?: string;
  cores: number;
  /** Whether its TCP segments carry timestamps; absent where the system does not tell. */
  tcpTimestamps?: boolean;
  interfaces: InterfaceFacts[];
  /** Chosen processes, as they were chosen. */
  processes: string[];
  /** Why nothing can be sampled here. */
  unavailable?: string;
}
