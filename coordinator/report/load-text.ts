/** A load in one sentence, as the text format says it. */
import {
  type ClosedLoad,
  isOpenLoop,
  type LoadPlan,
  type OpenLoad,
  type Stage,
  type ThinkTime,
} from '../../shared/domain/load-plan.ts';
import { formatDuration } from '../../shared/domain/units.ts';
import { plural } from './text-line.ts';

/** `constant-connections: 16 connections, 30.0 s, keep-alive`; of a script: `script: 30.0 s` */
export function loadText(load: LoadPlan): string {
  if (load.executor === 'script')
    return load.durationUs === undefined ? 'script' : `script: ${formatDuration(load.durationUs)}`;
  const reuse = load.keepAlive ? 'keep-alive' : 'a new connection for each request';
  const parts = isOpenLoop(load)
    ? [...arrivalsText(load), `at most ${plural(load.maxConnections, 'connection')}`]
    : [connectionsText(load), ...ends(load), ...thinkTimeText(load.thinkTime)];
  return `${load.executor}: ${[...parts, reuse].join(', ')}`;
}

function arrivalsText(load: OpenLoad): string[] {
  const rates =
    load.executor === 'constant-arrival-rate'
      ? `${load.rate}/s for ${formatDuration(load.durationUs)}`
      : stagesText(load.startRate, load.stages, (rate) => `${rate}/s`);
  return load.poisson === undefined ? [rates] : [rates, `Poisson arrivals (seed ${load.poisson.seed})`];
}

function connectionsText(load: ClosedLoad): string {
  if (load.executor === 'constant-connections') return plural(load.connections, 'connection');
  return `${stagesText(load.startConnections, load.stages, String)} connections`;
}

/** `from 0/s to 500/s in 10.0 s, 500/s for 30.0 s, at once to 0/s` */
export function stagesText(
  start: number,
  stages: readonly Stage[],
  value: (target: number) => string,
): string {
  let from = start;
  const steps = stages.map(({ durationUs, target }) => {
    const stays = target === from;
    from = target;
    if (durationUs === 0) return `at once to ${value(target)}`;
    return `${stays ? '' : 'to '}${value(target)} ${stays ? 'for' : 'in'} ${formatDuration(durationUs)}`;
  });
  return `from ${value(start)} ${steps.join(', ')}`;
}

function ends(load: ClosedLoad): string[] {
  const { requests } = load;
  const durationUs = load.executor === 'constant-connections' ? load.durationUs : undefined;
  return [
    ...(requests === undefined ? [] : [plural(requests, 'request')]),
    ...(durationUs === undefined
      ? []
      : [`${requests === undefined ? '' : 'at most '}${formatDuration(durationUs)}`]),
  ];
}

export function thinkTimeText(thinkTime: ThinkTime | undefined): string[] {
  if (thinkTime === undefined) return [];
  const { pause, seed } = thinkTime;
  switch (pause.distribution) {
    case 'fixed':
      return [`thinking for ${formatDuration(pause.us)}`];
    case 'uniform': {
      const { minUs, maxUs } = pause;
      return [`thinking for ${formatDuration(minUs)} to ${formatDuration(maxUs)} (uniform, seed ${seed})`];
    }
    case 'exponential':
      return [`thinking for ${formatDuration(pause.meanUs)} on average (exponential, seed ${seed})`];
  }
}
