/** What follows of the target from what else had room. */
import { isOpenLoop } from '../../../shared/domain/load-plan.ts';
import { formatDuration } from '../../../shared/domain/units.ts';
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import { BOUNDS } from './bounds.ts';
import { type Evidence, type Found, inUse, watched } from './evidence.ts';
import { leisureOf } from './generator-room.ts';
import { linksWithSpeed } from './network.ts';
import { OBSERVE, percent, surely } from './words.ts';

/** Of a server of one thread that nobody has named. Something else may be what keeps it busy. */
export function busyCore(trial: Evidence): Found | undefined {
  const workers = new Set(
    trial.hosts.flatMap((one) => (one.role === 'worker' ? [one.machine ?? one.name] : [])),
  );
  const evidence = trial.hosts.flatMap(({ name, role, machine, cpu, cores }) => {
    if (role !== 'observer' || workers.has(machine ?? name)) return [];
    const busiest = cpu?.busiestCore?.mean ?? 0;
    return busiest < BOUNDS.cpu
      ? []
      : [
          `${name}: one of its ${cores ?? ''} cores was busy ${percent(busiest)} of the time, bound ${percent(BOUNDS.cpu)}`,
        ];
  });
  const leisure = leisureOf(trial);
  if (evidence.length === 0 || leisure === undefined) return undefined;
  return {
    evidence: [...evidence, leisure],
    advice: `does the server work in one thread only? Name it: ${OBSERVE}`,
    inferred: true,
  };
}

const TURNED_DOWN: readonly ErrorClass[] = ['connect-refused', 'reset', 'closed-early', 'status', 'timeout'];

export function failingTarget(trial: Evidence): Found | undefined {
  const { errors, requests } = trial.summary;
  const finished = requests + errors.total;
  const counts = TURNED_DOWN.flatMap((name) =>
    errors.byClass[name] === undefined ? [] : [`${name} ${errors.byClass[name]}`],
  );
  const turned = TURNED_DOWN.reduce((sum, name) => sum + (errors.byClass[name] ?? 0), 0);
  if (finished === 0 || turned < finished * BOUNDS.failed) return undefined;
  return {
    evidence: [
      `${turned} of ${finished} requests failed at the target (${counts.join(', ')}), bound ${percent(BOUNDS.failed)}; inferred, for nobody watched its host`,
    ],
    advice: `the target's own log at that time; ${OBSERVE}`,
    inferred: true,
  };
}

export function slowTarget(trial: Evidence): Found | undefined {
  const leisure = leisureOf(trial);
  const waiting = waitingForReplies(trial);
  const slow = slowFirstByte(trial);
  if (leisure === undefined || waiting === undefined || slow === undefined) return undefined;
  if (Math.max(0, ...linksWithSpeed(trial).map(({ share = 0 }) => share)) > BOUNDS.linkRoom) return undefined;
  const { stalls } = trial;
  const stalled = stalls.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    evidence: [
      `inferred, for nobody saw the target at a limit: ${waiting}`,
      slow,
      leisure,
      ...(stalled === 0 ? [] : [`for ${stalled} s no reply came at all`]),
    ],
    advice: surely(watched(trial)),
    inferred: true,
  };
}

/** How the connections of the load were taken up by the target; undefined where they were not. */
function waitingForReplies(trial: Evidence): string | undefined {
  const { load, summary, ledger } = trial;
  if (summary.latency.count === 0) return undefined;
  const mean = inUse(trial);
  if (isOpenLoop(load)) {
    const { planned = 0, dropped } = ledger;
    const share = mean / load.maxConnections;
    const busy = `on average ${mean.toFixed(1)} of ${load.maxConnections} connections waited for a reply`;
    if (dropped > planned * BOUNDS.dropped && share >= BOUNDS.pausing)
      return `${dropped} of ${planned} arrivals were dropped, ${busy}`;
    return share >= BOUNDS.connections ? busy : undefined;
  }
  if (load.executor !== 'constant-connections') return undefined;
  const share = mean / load.connections;
  return share < BOUNDS.connections
    ? undefined
    : `the ${load.connections === 1 ? 'connection' : `${load.connections} connections`} waited for replies ${percent(Math.min(1, share))} of the time, bound ${percent(BOUNDS.connections)}`;
}

/**
 * The first byte took far longer than the way there and back; undefined where it did not, or the way is not known. Over
 * loopback there is none to speak of, but with few connections neither side is waited for while the other is at work.
 */
function slowFirstByte(trial: Evidence): string | undefined {
  const { summary, connectUs, wire, workers } = trial;
  const { firstByte, latency, serviceTime = latency, connect } = summary;
  if (firstByte !== undefined && wire?.links.every(({ loopback }) => loopback === true) === true) {
    const threads = workers.reduce((sum, worker) => sum + worker.threads, 0);
    if (
      inUse(trial) >= BOUNDS.connectionsPerThread * threads &&
      firstByte.p50 >= serviceTime.p50 * BOUNDS.firstByte
    )
      return `half of the first bytes took ${formatDuration(firstByte.p50)} or more, and there is no network in between`;
  }
  const roundTrips = [connectUs, connect !== undefined && connect.count > 0 ? connect.min : undefined];
  const known = roundTrips.filter((us) => us !== undefined);
  if (firstByte === undefined || known.length === 0) return undefined;
  const roundTripUs = Math.min(...known);
  if (firstByte.p50 < serviceTime.p50 * BOUNDS.firstByte || firstByte.p50 < roundTripUs * BOUNDS.roundTrips)
    return undefined;
  return `half of the first bytes took ${formatDuration(firstByte.p50)} or more, a connect as little as ${formatDuration(roundTripUs)}: bound ${BOUNDS.roundTrips} times as much`;
}
