/** A trial's timeline as one line of bars: enough to see a stall, a warm-up or a collapse. */
import { formatDuration } from '../../shared/domain/units.ts';
import type { TimelineRow } from '../../shared/metrics/summary.ts';
import { isSupported } from './quantile-limits.ts';
import { labelled, requestRateText } from './text-line.ts';
import { timelinePoints } from './timeline-points.ts';

const BARS = '▁▂▃▄▅▆▇█';
const MOST_BARS = 60;

/** @param durationUs the trial's length: its last second may be a part of one */
export function timelineText(rows: readonly TimelineRow[], durationUs: number, width: number): string[] {
  if (rows.length < 2) return [];
  const { seconds, points } = timelinePoints(rows, durationUs, MOST_BARS);
  if (points.length < 2) return [];
  const rates = points.map(({ requestRate }) => requestRate);
  const highest = Math.max(...rates);
  const bars = rates.map((rate) => bar(rate, highest)).join('');
  const low = requestRateText(Math.min(...rates));
  const each = seconds === 1 ? 'a second' : formatDuration(seconds * 1e6);
  const worst = worstSecond(rows);
  return labelled(
    'Timeline',
    `${bars}\n${each} a bar; request rate from ${low} to ${requestRateText(highest)}${worst}`,
    width,
  );
}

function bar(rate: number, highest: number): string {
  // A second without a single reply is a gap, not a low bar.
  if (rate === 0) return ' ';
  return BARS[Math.min(BARS.length - 1, Math.floor((rate / highest) * BARS.length))]!;
}

/** Of the seconds that have requests enough for a p99. */
function worstSecond(rows: readonly TimelineRow[]): string {
  const known = rows.filter(({ requests }) => isSupported(requests, 'p99'));
  const worst = known.reduce<TimelineRow | undefined>(
    (most, row) => ((row.p99 ?? 0) > (most?.p99 ?? 0) ? row : most),
    undefined,
  );
  if (worst?.p99 === undefined) return '';
  return `; highest p99 ${formatDuration(worst.p99)} in second ${worst.second}`;
}
