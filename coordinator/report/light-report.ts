/** Reports over HTTP for formats that print no histograms, or nothing by the second: both are most of a report. */
import { readMetric } from '../../shared/domain/metric-name.ts';
import { OPTIONAL_PHASES } from '../../shared/metrics/interval.ts';
import type { LatencySummary, RequestSummary, Summary } from '../../shared/metrics/summary.ts';
import { FRACTIONS } from './quantile-limits.ts';
import type { Report } from './schema.ts';

const NUMBERS = ['min', 'mean', 'stdev', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'max'] as const;
const NAMED: readonly number[] = Object.values(FRACTIONS);

/** The same with empty histograms, but for those that a table of its own asks for a quantile that summaries do not name. */
export function withoutHistograms(report: Report): Report {
  const asked = report.tables.some(({ metric }) => {
    const read = readMetric(metric);
    return !('problem' in read) && read.name === 'quantile' && !NAMED.includes(read.fraction);
  });
  return {
    ...report,
    trials: report.trials.map((trial) => ({ ...trial, summary: bareSummary(trial.summary, asked) })),
  };
}

/** The same without what is by the second: no seconds of hosts, and a timeline only where there is one trial. */
export function withoutSeconds(report: Report): Report {
  const several = report.trials.length > 1;
  return {
    ...report,
    trials: report.trials.map((trial) => ({
      ...trial,
      ...(several && { timeline: [] }),
      hosts: trial.hosts.map((host) => ({ ...host, seconds: [] })),
    })),
  };
}

function bareSummary(summary: Summary, keepsLatency: boolean): Summary {
  const bare: Summary = { ...summary };
  if (!keepsLatency) bare.latency = barePhase(summary.latency);
  for (const name of OPTIONAL_PHASES) {
    const phase = summary[name];
    if (phase !== undefined) bare[name] = barePhase(phase);
  }
  if (summary.byRequest !== undefined) {
    bare.byRequest = Object.fromEntries(
      Object.entries(summary.byRequest).map(([name, one]): [string, RequestSummary] => [
        name,
        { ...one, latency: barePhase(one.latency) },
      ]),
    );
  }
  return bare;
}

/** Without reading the histogram: it is made when it is read. */
function barePhase(phase: LatencySummary): LatencySummary {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, phase[name]])) as Pick<
    LatencySummary,
    (typeof NUMBERS)[number]
  >;
  return { count: phase.count, ...numbers, histogram: '' };
}
