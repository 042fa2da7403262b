/** What a bench has found, as written to bench-results/latest.json. */
import {
  type Contender,
  chainCpuPerRequest,
  cpuPerRequest,
  type Measured,
  requestRate,
} from './contender.ts';
import type { Machine } from './machine.ts';
import { type BenchCase, caseName } from './options.ts';
import type { ThreadScaling } from './threads.ts';
import { ratiosOf, type Spread, spreadOf, type Turns } from './turns.ts';

export interface BenchResults {
  /** ISO 8601, UTC. */
  measuredAt: string;
  machine: Machine;
  /** Which core does what, or why nothing was pinned. */
  pinning: string;
  /** Cores that were busy with work of other processes, on average. */
  othersCores?: number;
  seconds: number;
  rounds: number;
  cases: CaseResult[];
  footprint: { connections: number; residentBytes?: number; embeddedStartMs: number[] };
  threads: ThreadScaling;
  targets: TargetResult[];
}

export interface CaseResult {
  name: string;
  bodyBytes: number;
  connections: number;
  secure: boolean;
  contenders: ContenderResult[];
}

export interface ContenderResult {
  name: string;
  version: string;
  runs: Measured[];
  /** Completed requests a second, median of the runs. */
  requestRate?: number;
  /** Bodies of completed requests, bytes a second. */
  transferRate?: number;
  /** µs of the process that drives the load. */
  cpuPerRequest?: number;
  /** µs of all processes that take part; of Broadside only. */
  chainCpuPerRequest?: number;
  residentBytes?: number;
  failed: number;
  /** Broadside's over this peer's; of peers only. */
  requestRateRatio?: Spread;
  cpuRatio?: Spread;
  failure?: string;
}

export interface TargetResult {
  what: string;
  unit: '×' | 'MB' | 's';
  atLeast?: number;
  atMost?: number;
  /** Absent when it could not be measured: a peer is not installed, or the case was not asked for. */
  value?: number;
  met?: boolean;
}

export function caseResult(one: BenchCase, ours: Contender, turns: Turns): CaseResult {
  const peers = turns.peers.map(({ peer, pairs, failure }): ContenderResult => {
    const requestRateRatio = ratiosOf(pairs, requestRate);
    const cpuRatio = ratiosOf(pairs, cpuPerRequest);
    const runs = pairs.map((pair) => pair.peer);
    return {
      ...contenderResult(one, peer, runs),
      ...(requestRateRatio === undefined ? {} : { requestRateRatio }),
      ...(cpuRatio === undefined ? {} : { cpuRatio }),
      ...(failure === undefined ? {} : { failure }),
    };
  });
  return {
    name: caseName(one),
    bodyBytes: one.bodyBytes,
    connections: one.connections,
    secure: one.secure === true,
    contenders: [contenderResult(one, ours, turns.ours), ...peers],
  };
}

function contenderResult(one: BenchCase, { name, version }: Contender, runs: Measured[]): ContenderResult {
  const median = (quantity: (measured: Measured) => number | undefined): number | undefined =>
    spreadOf(runs.flatMap((run) => quantity(run) ?? []))?.median;
  const rate = median(requestRate);
  const found = {
    requestRate: rate,
    transferRate: rate === undefined ? undefined : rate * one.bodyBytes,
    cpuPerRequest: median(cpuPerRequest),
    chainCpuPerRequest: median(chainCpuPerRequest),
    residentBytes: median(({ residentBytes }) => residentBytes),
  };
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  return { name, version, runs, ...known, failed: runs.reduce((sum, { failed }) => sum + failed, 0) };
}
