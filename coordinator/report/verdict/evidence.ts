/** What is known of a trial when its limit is asked for. */
import type { LoadPlan } from '../../../shared/domain/load-plan.ts';
import type { Ledger } from '../../../shared/metrics/ledger.ts';
import type { Stall } from '../../../shared/metrics/stall.ts';
import type { Summary } from '../../../shared/metrics/summary.ts';
import type { ReportHost, ReportWire } from '../hosts/host-model.ts';
import type { ReportScript, ReportWorker } from '../schema.ts';

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

export interface Found {
  evidence: string[];
  advice: string;
  inferred?: true;
}

/** Connections that waited for a reply, on average (Little's law). */
export function inUse({
  summary: { requestRate, latency, serviceTime = latency },
}: Pick<Evidence, 'summary'>): number {
  return (requestRate * serviceTime.mean) / 1e6;
}

export function watched({ hosts }: Evidence): boolean {
  return hosts.some(({ role, cpu }) => role === 'observer' && cpu !== undefined);
}
