/** The scenario's thresholds, held against every trial that was begun. */
import { evaluateThreshold, parseThreshold } from '../../shared/metrics/threshold.ts';
import type { ThresholdSpec } from '../journal-records.ts';
import { fewFor, likeOf, type Measured } from './measure.ts';
import type { ReportThreshold, ReportTrial } from './schema.ts';

/** @throws BroadsideError SCENARIO_INVALID for an expression that the scenario's own check would have refused. */
export function thresholdsOf(
  specs: readonly ThresholdSpec[],
  trials: readonly ReportTrial[],
): ReportThreshold[] {
  const severalRounds = trials.some(({ round }) => round > 1);
  return specs.flatMap(({ that, request }) => {
    const threshold = parseThreshold(that);
    return trials.map((trial) => ({
      expression: that,
      ...(request !== undefined && { request }),
      ...(Object.keys(trial.cell).length === 0 ? {} : { cell: trial.cell }),
      ...(severalRounds ? { round: trial.round } : {}),
      ...evaluateThreshold(threshold, likeOf(measuredOf(trial), request)),
      ...fewFor(threshold.metric, likeOf(measuredOf(trial), request)),
    }));
  });
}

function measuredOf({ summary, ledger, requests }: ReportTrial): Measured {
  return { summary, dropped: ledger.dropped, names: requests.map(({ name }) => name) };
}
