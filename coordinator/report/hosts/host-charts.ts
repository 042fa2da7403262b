/** Charts of a trial's hosts by the second, beside those of its traffic. */
import { chartSvg, type Series } from '../chart.ts';
import type { Markup } from '../html-markup.ts';
import type { ReportTrial } from '../schema.ts';
import { plain } from '../text-line.ts';
import type { HostRow, ReportHost } from './host-model.ts';

/** As many lines as can be told apart. */
const MOST_LINES = 4;
const MOST_POINTS = 240;

/** CPU of each host and of the observers' processes, and what the links carried; nothing of less than two samples. */
export function hostCharts({ hosts, summary }: ReportTrial): Markup[] {
  const observersFirst = [...hosts].reverse().filter(({ seconds }) => seconds.length > 1);
  const end = summary.durationUs / 1e6;
  const busy = observersFirst.map((host) => line(`${host.name} cpu`, host, ({ cpu }) => cpu && cpu * 100));
  const cores = observersFirst
    .filter(({ role }) => role === 'observer')
    .flatMap((host) =>
      host.processes.map(({ name }) => line(name, host, ({ processes }) => processes?.[name])),
    );
  const links = observersFirst.flatMap((host) => [
    line(`${host.name} in`, host, ({ receivedBits }) => receivedBits && receivedBits / 1e6),
    line(`${host.name} out`, host, ({ sentBits }) => sentBits && sentBits / 1e6),
  ]);
  return [
    ...chart('CPU of the hosts, %', busy, end, 100),
    ...chart('CPU of processes, cores', cores, end),
    ...chart('Links, Mbit/s', links, end),
  ];
}

function chart(title: string, all: Series[], end: number, least = 0): Markup[] {
  const series = all
    .filter(({ points }) => points.some(([, value]) => value !== undefined))
    .slice(0, MOST_LINES);
  if (series.length === 0) return [];
  const values = series.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
  const highest = Math.max(...values);
  return [
    chartSvg({
      title,
      description: series.map(({ name }) => name).join(', '),
      x: { label: 'seconds since the start', from: 0, to: end },
      y: { highest: Math.max(least, highest) },
      series,
    }),
  ];
}

/** A point in the middle of each sample; of long trials, of every so many. */
function line(name: string, { seconds }: ReportHost, of: (row: HostRow) => number | undefined): Series {
  const every = Math.ceil(seconds.length / MOST_POINTS);
  const rows = seconds.filter((_, i) => i % every === 0);
  return {
    name: plain(name),
    points: rows.map((row) => [(row.fromUs + row.lengthUs / 2) / 1e6, of(row)] as const),
  };
}
