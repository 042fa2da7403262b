/** Loads that were carried as they were asked for. */
import { isOpenLoop } from '../../../shared/domain/load-plan.ts';
import { BOUNDS } from './bounds.ts';
import { type Evidence, type Found, inUse } from './evidence.ts';
import { leisureOf } from './generator-room.ts';
import { percent } from './words.ts';

export function askedRateReached(trial: Evidence): Found | undefined {
  const { load, summary, ledger } = trial;
  const leisure = leisureOf(trial);
  if (leisure === undefined) return undefined;
  if (load.executor === 'script') return scriptReached(trial, leisure);
  if (!isOpenLoop(load) || ledger.planned === undefined) return undefined;
  const { requests, requestRate } = summary;
  const answered = requests / Math.max(1, ledger.planned);
  const mean = inUse(trial);
  if (answered < BOUNDS.answered || mean > load.maxConnections * BOUNDS.connections) return undefined;
  return {
    evidence: [
      `${percent(answered, 1)} of ${ledger.planned} arrivals were answered, bound ${percent(BOUNDS.answered)}, ${requestRate.toFixed(1)}/s, with ${mean.toFixed(1)} of ${load.maxConnections} connections in use on average`,
      leisure,
    ],
    advice: 'nothing was at its limit: ask for a higher rate to find one',
  };
}

function scriptReached({ script, summary }: Evidence, leisure: string): Found | undefined {
  const executors = Object.values(script?.scenarios ?? {});
  const paced = executors.length > 0 && executors.every((executor) => executor.endsWith('arrival-rate'));
  if (!paced || summary.script === undefined || summary.errors.total > 0) return undefined;
  if (summary.script.droppedIterations > 0) return undefined;
  return {
    evidence: [
      `all iterations that were due were started: ${summary.script.iterations}, none dropped`,
      leisure,
    ],
    advice: 'nothing was at its limit: ask for a higher rate to find one',
  };
}

export function mostlyPausing({ load, summary }: Evidence): Found | undefined {
  if (load.executor !== 'constant-connections' || load.thinkTime === undefined) return undefined;
  const share = inUse({ summary }) / load.connections;
  if (summary.latency.count === 0 || share > BOUNDS.pausing || summary.errors.total > 0) return undefined;
  return {
    evidence: [
      `the connections paused, as they were asked to, and waited for replies only ${percent(share)} of the time, bound ${percent(BOUNDS.pausing)}`,
    ],
    advice: 'nothing was at its limit: more connections, or shorter pauses, to find one',
  };
}
