/** What is compared: Broadside and its peers, each giving the same load and saying what it did. */

export interface BenchLoad {
  url: string;
  /** Size of the reply's body. */
  bodyBytes: number;
  /** Kept alive. */
  connections: number;
  /** Whole seconds. */
  seconds: number;
  /** The body's, to be compared with that of every reply; Broadside only. */
  sha256?: string;
}

export interface Measured {
  /** Completed with status 200. */
  requests: number;
  seconds: number;
  /** Errors, and replies with another status. */
  failed: number;
  /** User and system time of the process that drives the load; absent where the system does not tell. */
  cpuSeconds?: number;
  /** Its peak resident memory. */
  residentBytes?: number;
  /** As `cpuSeconds`, with all processes that take part. */
  chainCpuSeconds?: number;
}

export interface Contender {
  name: string;
  version: string;
  /** Rejects when the contender could not carry the load out. */
  run(load: BenchLoad): Promise<Measured>;
}

/** Requests a second. */
export function requestRate({ requests, seconds }: Measured): number {
  return requests / seconds;
}

/** µs of CPU a request; undefined where CPU time is not known. */
export function cpuPerRequest({ requests, cpuSeconds }: Measured): number | undefined {
  return cpuSeconds === undefined || requests === 0 ? undefined : (cpuSeconds * 1e6) / requests;
}

/** As `cpuPerRequest`, over all processes that take part. */
export function chainCpuPerRequest({ requests, chainCpuSeconds }: Measured): number | undefined {
  return chainCpuSeconds === undefined || requests === 0 ? undefined : (chainCpuSeconds * 1e6) / requests;
}
