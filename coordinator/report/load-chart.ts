/** How much load there was over a trial's time: the VUs of a script as they were counted, a ramp as it was planned. */
import type { LoadPlan, Stage } from '../../shared/domain/load-plan.ts';
import { type ChartAxis, chartSvg, type Series } from './chart.ts';
import type { Markup } from './html-markup.ts';
import type { TimelinePoint } from './timeline-points.ts';

/**
 * Nothing for a load that stays as it is, and where nobody told of VUs.
 * @param x seconds of the trial
 * @param each how long the points are, in words
 */
export function loadChart(
  load: LoadPlan,
  points: readonly TimelinePoint[],
  x: ChartAxis,
  each: string,
): Markup[] {
  switch (load.executor) {
    case 'script':
      return vusChart(points, x, each);
    case 'ramping-connections':
      return [rampChart('Connections', load.startConnections, load.stages, x)];
    case 'ramping-arrival-rate':
      return [rampChart('Arrivals a second', load.startRate, load.stages, x)];
    default:
      return [];
  }
}

function vusChart(points: readonly TimelinePoint[], x: ChartAxis, each: string): Markup[] {
  const last = points.at(-1);
  if (last?.vus === undefined) return [];
  const seriesOf = (name: string, field: 'vus' | 'vusMax'): Series => ({
    name,
    points: [...points.map((point) => [point.second, point[field]] as const), [x.to, last[field]]],
  });
  const atWork = points.flatMap(({ vus }) => vus ?? []);
  return [
    chartSvg({
      title: `VUs ${each}`,
      description: `from ${Math.min(...atWork)} to ${Math.max(...atWork)} at work`,
      x,
      y: { highest: Math.max(...points.map(({ vusMax = 0, vus = 0 }) => Math.max(vusMax, vus))) },
      series: [seriesOf('at work', 'vus'), seriesOf('allocated', 'vusMax')],
      steps: true,
    }),
  ];
}

function rampChart(name: string, start: number, stages: readonly Stage[], x: ChartAxis): Markup {
  const planned = rampPoints(start, stages, x.to);
  const values = planned.map(([, value]) => value);
  return chartSvg({
    title: `${name}, as planned`,
    description: `from ${start} on, at most ${Number(Math.max(...values).toPrecision(4))}`,
    x,
    y: { highest: Math.max(...values) },
    series: [{ name, points: planned }],
  });
}

/** Where a ramp bends, in seconds, to the end of the trial, which may come before that of the ramp. */
export function rampPoints(
  start: number,
  stages: readonly Stage[],
  end: number,
): [at: number, value: number][] {
  const points: [number, number][] = [[0, start]];
  let [at, from] = [0, start];
  for (const { durationUs, target } of stages) {
    const until = at + durationUs / 1e6;
    if (until > end) {
      const share = (end - at) / (until - at);
      points.push([end, from + (target - from) * share]);
      return points;
    }
    points.push([until, target]);
    [at, from] = [until, target];
  }
  return at < end ? [...points, [end, from]] : points;
}
