/** What a worker or observer tells of itself and its machine, beside what it measures. */
import type { K6Facts } from '../domain/k6-requirements.ts';

/** What a worker has measured of itself. */
export interface Capacity {
  /** Requests a second that one of its load threads reaches with a core to itself, against a target of its own. */
  threadRate: number;
  /** µs since the epoch. */
  measuredUs: number;
}

export interface WorkerCapabilities {
  hostname: string;
  platform: string;
  nodeVersion: string;
  broadsideVersion: string;
  cores: number;
  memoryBytes: number;
  /** Soft limit of open file descriptors; absent where the system does not tell. */
  fileDescriptors?: number;
  engines: string[];
  /** Where the worker has a k6 binary. */
  k6?: K6Facts;
  /** The machine's own addresses, without loopback. */
  addresses: string[];
  threads: number;
  /** Its share of a load beside those of others; absent: 1. */
  weight?: number;
  /** The most requests a second that it sends, where it was given a cap. */
  maxRate?: number;
  /** Absent until it is calibrated. */
  capacity?: Capacity;
}

export interface HostSample {
  /** Share of one core, of the worker's process: 1 is one core busy. */
  cpu: number;
  /** Resident memory of the worker's process in bytes. */
  residentBytes: number;
}

/** Whether a target can be reached from a worker. */
export interface TargetReach {
  url: string;
  addresses?: string[];
  /** The shortest TCP connect, µs. */
  connectUs?: number;
  /** Why it cannot be reached. */
  problem?: string;
  /** Its addresses are all of a family that this machine cannot connect by. */
  noFamily?: {
    family: 'IPv4' | 'IPv6';
    /** What is missing: a route of that family, or a local address among those that were given. */
    missing: 'route' | 'local-address';
    /** Addresses of the other family that the target's name has. */
    others: string[];
  };
}

/** A load machine before the load. What its system does not tell is absent. */
export interface PreflightFacts {
  cores: number;
  /** Runnable processes over the last minute (load average). */
  load: number;
  /** Of the worker's process. */
  fileDescriptors?: { soft: number; hard: number; open: number };
  /** Inclusive; of each local address. */
  ephemeralPorts?: { low: number; high: number };
  /** Addresses that this worker's connections come from, where it was given some. */
  localAddresses?: string[];
  /** Sockets in TIME_WAIT now. */
  timeWait?: number;
  /** `net.ipv4.tcp_tw_reuse`: 0 off, 1 on, 2 on for loopback. */
  timeWaitReuse?: number;
  /** Absent until it is calibrated. */
  capacity?: Capacity;
  targets: TargetReach[];
}
