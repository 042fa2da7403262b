/** A report's trial as it goes from thread to thread: without what it works out, or compresses, only when asked for. */
import { PHASES } from '../../shared/metrics/interval.ts';
import {
  type LatencySummary,
  type PackedPhase,
  packPhase,
  type Summary,
  unpackPhase,
} from '../../shared/metrics/summary.ts';
import type { ReportTrial } from './schema.ts';
import { type WithoutLimits, withLimits } from './trial.ts';

type Fields = Record<string, unknown>;

export type PackedTrial = Omit<WithoutLimits, 'summary'> & { summary: Fields };

/** All keys stay in their order, which the json shows. */
export function packTrial(trial: ReportTrial): PackedTrial {
  const packed: Fields = {};
  for (const key of Object.keys(trial)) {
    packed[key] = key === 'quantiles' ? undefined : trial[key as keyof ReportTrial];
  }
  packed.summary = eachPhase<LatencySummary>(trial.summary, packPhase);
  return packed as PackedTrial;
}

export function unpackTrial(trial: PackedTrial): ReportTrial {
  const summary = eachPhase<PackedPhase>(trial.summary, unpackPhase) as unknown as Summary;
  return withLimits({ ...trial, summary });
}

/** The same summary with another form of its phases, those by request among them. */
function eachPhase<Form>(summary: object, change: (phase: Form) => unknown): Fields {
  const changed: Fields = { ...summary };
  for (const phase of PHASES) {
    if (changed[phase] !== undefined) changed[phase] = change(changed[phase] as Form);
  }
  if (changed.byRequest !== undefined) {
    const requests = Object.entries(changed.byRequest as Record<string, { latency: Form }>);
    changed.byRequest = Object.fromEntries(
      requests.map(([name, request]) => [name, { ...request, latency: change(request.latency) }]),
    );
  }
  return changed;
}
