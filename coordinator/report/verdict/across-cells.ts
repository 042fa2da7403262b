/** What a sweep over connections tells of a trial that no rule could decide by itself. */
import type { ConstantConnections } from '../../../shared/domain/load-plan.ts';
import { formatDuration } from '../../../shared/domain/units.ts';
import type { ReportTrial, Verdict } from '../schema.ts';
import { BOUNDS } from './bounds.ts';
import { watched } from './evidence.ts';
import { leisureOf } from './generator-room.ts';
import { percent, surely } from './words.ts';

/**
 * The same trials, but where one is undecided and another of its round, with half of its connections or fewer and all else
 * alike, had the same rate and so much shorter a latency, its limit is the target, inferred: connections that wait for each
 * other wait where there is no room, and the generator and the links had some in both.
 */
export function judgeAcrossCells(trials: readonly ReportTrial[]): ReportTrial[] {
  return trials.map((trial) => {
    if (trial.verdict.limit !== 'undecided' || !isSteady(trial)) return trial;
    for (const fewer of trials) {
      const verdict = isSteady(fewer) && isAlike(fewer, trial) ? onlyLatencyGrew(fewer, trial) : undefined;
      if (verdict !== undefined) return { ...trial, verdict };
    }
    return trial;
  });
}

type Steady = ReportTrial & { load: ConstantConnections };

function isSteady(trial: ReportTrial): trial is Steady {
  const { state, load, summary } = trial;
  if (state !== 'completed' || load.executor !== 'constant-connections') return false;
  const { thinkTime } = load;
  return thinkTime === undefined && summary.latency.count > 0 && summary.durationUs >= BOUNDS.shortestUs;
}

function isAlike(a: Steady, b: Steady): boolean {
  const rest = ({ connections: _, ...load }: ConstantConnections) => load;
  const differing = Object.keys({ ...a.cell, ...b.cell }).filter((axis) => a.cell[axis] !== b.cell[axis]);
  return (
    a.round === b.round &&
    differing.length === 1 &&
    JSON.stringify([rest(a.load), a.target, a.requests]) ===
      JSON.stringify([rest(b.load), b.target, b.requests])
  );
}

function onlyLatencyGrew(fewer: Steady, trial: Steady): Verdict | undefined {
  const times = trial.load.connections / fewer.load.connections;
  if (times < BOUNDS.timesConnections) return undefined;
  const gained = trial.summary.requestRate / fewer.summary.requestRate;
  const grown = trial.summary.latency.p50 / fewer.summary.latency.p50;
  if (gained > BOUNDS.gained || grown < times * BOUNDS.grown) return undefined;
  const leisure = leisureOf(trial);
  if (leisure === undefined || leisureOf(fewer) === undefined) return undefined;
  if (!hasRoom(trial) || !hasRoom(fewer) || !waitedForFirstByte(trial)) return undefined;
  return {
    limit: 'target',
    inferred: true,
    evidence: [
      `inferred from another cell: with ${times.toFixed(1)} times the connections (${trial.load.connections}, not ${fewer.load.connections}) the rate is ${percent(gained)} of that one's, bound ${percent(BOUNDS.gained)}, and the median latency grew from ${formatDuration(fewer.summary.latency.p50)} to ${formatDuration(trial.summary.latency.p50)}`,
      leisure,
    ],
    advice: surely(watched(trial)),
  };
}

/** All links of the way: one whose speed nobody knows may be the full one. */
function hasRoom({ wire }: ReportTrial): boolean {
  const links = wire?.links ?? [];
  return (
    links.length > 0 &&
    links.every(
      ({ loopback, share }) => loopback === true || (share !== undefined && share <= BOUNDS.linkRoom),
    )
  );
}

/** A reply that took most of its time to come over is one that a link between may have held up. */
function waitedForFirstByte({ summary: { firstByte, latency } }: ReportTrial): boolean {
  return firstByte !== undefined && firstByte.p50 >= latency.p50 * BOUNDS.firstByte;
}
