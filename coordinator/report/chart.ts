/** A small line chart as SVG: axes, gridlines, lines with their names. Colours come from the page's style. */
import { type ScaleContinuousNumeric, scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { type Markup, markup } from './html-markup.ts';

const WIDTH = 460;
const HEIGHT = 190;
const LEFT = 52;
const RIGHT = 10;
const TOP = 26;
const BOTTOM = 34;

export interface Series {
  name: string;
  /** x and y; y undefined where the line is broken. */
  points: readonly (readonly [x: number, y: number | undefined])[];
}

export interface ChartAxis {
  label: string;
  from: number;
  to: number;
  /** Where it is marked, and with what; evenly by default. */
  ticks?: readonly (readonly [value: number, text: string])[];
}

export interface Chart {
  title: string;
  /** What the chart shows, in a sentence, for who cannot see it. */
  description: string;
  x: ChartAxis;
  /** From 0. */
  y: { highest: number };
  series: readonly Series[];
  /** Lines that stay as they are to the next point, rather than slope to it. */
  steps?: boolean;
  /** Marked below the line, on the x axis. */
  marks?: { name: string; at: readonly number[] };
}

export function chartSvg(chart: Chart): Markup {
  const { title, description, series, steps = false, marks } = chart;
  const x = scaleLinear([chart.x.from, chart.x.to], [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear([0, chart.y.highest > 0 ? chart.y.highest : 1], [HEIGHT - BOTTOM, TOP]).nice(4);
  const path = line<readonly [number, number | undefined]>()
    .defined(([, value]) => value !== undefined)
    .x(([at]) => round(x(at)))
    .y(([, value]) => round(y(value ?? 0)));
  if (steps) path.curve(curveStepAfter);
  const names = series.length > 1 || marks !== undefined ? legend(chart) : undefined;
  return markup`<figure><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${description}">
${yAxis(y)}${xAxis(x, chart.x)}
${series.map((one, i) => markup`<path class="line s${i + 1}" d="${path(one.points) ?? ''}"/>`)}
${marks?.at.map((at) => markup`<circle class="mark" cx="${round(x(at))}" cy="${HEIGHT - BOTTOM}" r="3"/>`)}
${names}</svg></figure>
`;
}

function yAxis(y: ScaleContinuousNumeric<number, number>): Markup[] {
  return y.ticks(4).map((value) => {
    const at = round(y(value));
    return markup`<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/><text class="end" x="${LEFT - 6}" y="${at + 4}">${number(value)}</text>`;
  });
}

function xAxis(x: ScaleContinuousNumeric<number, number>, axis: ChartAxis): Markup {
  const ticks = axis.ticks ?? x.ticks(6).map((value) => [value, String(value)] as const);
  const base = HEIGHT - BOTTOM;
  return markup`<path class="axis" d="M${LEFT} ${base}H${WIDTH - RIGHT}"/>${ticks.map(
    ([value, text]) =>
      markup`<path class="axis" d="M${round(x(value))} ${base}v4"/><text class="middle" x="${round(x(value))}" y="${base + 16}">${text}</text>`,
  )}<text class="middle" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 3}">${axis.label}</text>`;
}

/** Above the plot, from the left; a character is at most about 7.2 wide. */
function legend({ series, marks }: Chart): Markup[] {
  const names = series.map(({ name }, i) => ({ name, kind: `s${i + 1}` }));
  if (marks !== undefined) names.push({ name: marks.name, kind: 'mark' });
  let at = LEFT;
  return names.map(({ name, kind }) => {
    const from = at;
    at += 34 + name.length * 7.2;
    const sample =
      kind === 'mark'
        ? markup`<circle class="mark" cx="${round(from + 9)}" cy="11" r="3"/>`
        : markup`<path class="line ${kind}" d="M${round(from)} 11h18"/>`;
    return markup`${sample}<text x="${round(from + 23)}" y="15">${name}</text>`;
  });
}

/** Ticks lie at round numbers; what binary fractions make of them is not shown. */
function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
