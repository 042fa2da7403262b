/** The charts of one trial: the load where it changes, both rates and the latency by the second, and how the latencies are distributed. */
import { formatDuration } from '../../shared/domain/units.ts';
import { highestAt } from '../../shared/metrics/histogram.ts';
import { type LatencySummary, placesIn } from '../../shared/metrics/summary.ts';
import { chartSvg, type Series } from './chart.ts';
import type { Markup } from './html-markup.ts';
import { loadChart } from './load-chart.ts';
import type { ReportTrial } from './schema.ts';
import { requestRateText, transferRateText } from './text-line.ts';
import { type TimelinePoint, timelinePoints } from './timeline-points.ts';

interface Unit {
  name: string;
  /** In base units. */
  scale: number;
}

type Rate = 'requestRate' | 'transferRate';

const TIMES: readonly Unit[] = [
  { name: 'µs', scale: 1 },
  { name: 'ms', scale: 1_000 },
  { name: 's', scale: 1_000_000 },
];
const TRANSFER_RATES: readonly Unit[] = [
  { name: 'B/s', scale: 1 },
  { name: 'KiB/s', scale: 1024 },
  { name: 'MiB/s', scale: 1024 ** 2 },
  { name: 'GiB/s', scale: 1024 ** 3 },
];
const MOST_POINTS = 240;
/** Points of a distribution for each tenth of the values that are left. */
const POINTS_A_DECADE = 24;

/** Nothing for a trial of less than two seconds. */
export function timelineCharts({ timeline, summary, load }: ReportTrial): Markup[] {
  const { seconds, points } = timelinePoints(timeline, summary.durationUs, MOST_POINTS);
  const last = points.at(-1);
  if (last === undefined || points.length < 2) return [];
  const each = seconds === 1 ? 'by the second' : `every ${seconds} s`;
  const end = last.second + last.lengthUs / 1e6;
  const x = { label: 'seconds since the start', from: 0, to: end };
  const middle = ({ second, lengthUs }: TimelinePoint) => second + lengthUs / 2e6;
  const failed = points.filter(({ errors }) => errors > 0).map(middle);
  const rateChart = (name: string, of: Rate, text: (rate: number) => string, unit: Unit) => {
    const all = points.map((point) => point[of]);
    const steps = points.map((point) => [point.second, point[of] / unit.scale] as const);
    return chartSvg({
      title: `${name} ${each}, ${unit.name}`,
      description: `from ${text(Math.min(...all))} to ${text(Math.max(...all))}`,
      x,
      y: { highest: Math.max(...all) / unit.scale },
      series: [{ name, points: [...steps, [end, last[of] / unit.scale]] }],
      steps: true,
      ...(failed.length === 0 ? {} : { marks: { name: 'with errors', at: failed } }),
    });
  };
  const slowest = Math.max(0, ...points.flatMap(({ p99 }) => p99 ?? []));
  const time = unitFor(slowest, TIMES);
  const quantiles = (['p50', 'p99'] as const).map((name): Series => {
    const scaled = (us: number | undefined) => (us === undefined ? undefined : us / time.scale);
    return { name, points: points.map((point) => [middle(point), scaled(point[name])]) };
  });
  const fastest = Math.max(...points.map(({ transferRate }) => transferRate));
  return [
    ...loadChart(load, points, x, seconds === 1 ? each : `${each}, the highest of each`),
    rateChart('Request rate', 'requestRate', requestRateText, { name: 'requests/s', scale: 1 }),
    rateChart('Transfer rate', 'transferRate', transferRateText, unitFor(fastest, TRANSFER_RATES)),
    chartSvg({
      title: `Latency ${each}${seconds === 1 ? '' : ', the highest of each'}, ${time.name}`,
      description: `the highest p99 is ${formatDuration(slowest)}`,
      x,
      y: { highest: slowest / time.scale },
      series: quantiles,
    }),
  ];
}

/**
 * Latency over the share of requests that were as fast, as HdrHistogram's plotter draws it: each step to the right is
 * a tenth of what is left. It ends where one request is left: beyond that the sample says nothing.
 */
export function distributionChart({ summary }: ReportTrial): Markup[] {
  const { latency, serviceTime, firstByte, requests } = summary;
  if (requests < 2) return [];
  const decades = Math.log10(requests);
  const named: [string, LatencySummary | undefined][] = [
    [serviceTime === undefined ? 'latency' : 'from intended start', latency],
    ['from send', serviceTime],
    ['first byte', firstByte],
  ];
  const phases = named.flatMap(([name, phase]) =>
    phase === undefined || phase.count === 0 ? [] : [{ name, phase }],
  );
  const highest = Math.max(...phases.map(({ phase }) => phase.max));
  const time = unitFor(highest, TIMES);
  const { p50, p99, max } = latency;
  return [
    chartSvg({
      title: `Latency by share of the requests, ${time.name}`,
      description: `half within ${formatDuration(p50)}, 99% within ${formatDuration(p99)}, all within ${formatDuration(max)}`,
      x: { label: 'share of the requests', from: 0, to: decades, ticks: shareTicks(decades) },
      y: { highest: highest / time.scale },
      series: phases.map(({ name, phase }) => ({ name, points: distribution(phase, decades, time.scale) })),
    }),
  ];
}

/** @param scale what one unit of the result is in µs */
function distribution(phase: LatencySummary, decades: number, scale: number): Series['points'] {
  const { min, max } = phase;
  const { indexes, counts } = placesIn(phase);
  const count = counts.reduce((sum, n) => sum + n, 0);
  const steps = Math.max(1, Math.ceil(decades * POINTS_A_DECADE));
  const points: [number, number][] = [];
  let place = 0;
  let seen = counts[0]!;
  for (let step = 0; step <= steps; step++) {
    const at = (step / steps) * decades;
    const wanted = Math.max(1, Math.ceil((1 - 10 ** -at) * count - 1e-9));
    while (seen < wanted) seen += counts[++place]!;
    points.push([at, Math.max(min, Math.min(highestAt(indexes[place]!), max)) / scale]);
  }
  return points;
}

function shareTicks(decades: number): [number, string][] {
  const shares = ['50', '90', '99', '99.9', '99.99', '99.999', '99.9999', '99.99999', '99.999999'];
  return shares.flatMap((percent): [number, string][] => {
    const at = -Math.log10(1 - Number(percent) / 100);
    return at <= decades + 1e-9 ? [[at, `${percent}%`]] : [];
  });
}

/** The largest unit of which there is at least one. */
function unitFor(highest: number, units: readonly Unit[]): Unit {
  return units.findLast(({ scale }) => scale <= highest) ?? units[0]!;
}
