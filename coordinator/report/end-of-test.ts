/**
 * What a script measured, laid out as k6's users know it from the end of a `k6 run`: checks with ✓ and ✗, then metrics by kind, a
 * line each.
 */
import type {
  CheckSummary,
  MetricSummary,
  ScriptSummary,
  TrendSummary,
} from '../../shared/metrics/script-summary.ts';
import { ownUnit, scriptValueText, trendValueText } from './script-text.ts';
import { plain } from './text-line.ts';

/** `checks_total.......: 36  12/s` and the two below it, then each check; nothing where the script has none. */
export function checkLines({ checks }: ScriptSummary, durationUs: number): string[] {
  if (checks.length === 0) return [];
  const [passes, fails] = [sumOf(checks, 'passes'), sumOf(checks, 'fails')];
  const total = passes + fails;
  const share = (count: number) => scriptValueText(total === 0 ? 0 : count / total, 'share');
  const rate = durationUs > 0 ? (total * 1e6) / durationUs : 0;
  return [
    ...lined([
      ['checks_total', `${total}`, scriptValueText(rate, 'perSecond')],
      ['checks_succeeded', share(passes), `${passes} out of ${total}`],
      ['checks_failed', share(fails), `${fails} out of ${total}`],
    ]),
    '',
    ...groupsIn(checks).flatMap(([group, of]) => [
      ...(group === '' ? [] : [`█ ${plain(group.split('::').slice(1).join(' › '))}`]),
      ...of.flatMap((check) => checkText(check).map((line) => (group === '' ? line : `  ${line}`))),
    ]),
  ];
}

/** `✓ status is 200`; of one that failed, how often. */
export function checkText({ name, passes, fails, rate }: CheckSummary): string[] {
  if (fails === 0) return [`✓ ${plain(name)}`];
  return [`✗ ${plain(name)}`, ` ↳  ${Math.floor(rate * 100 + 1e-9)}% — ✓ ${passes} / ✗ ${fails}`];
}

function groupsIn(checks: readonly CheckSummary[]): [group: string, checks: CheckSummary[]][] {
  const groups = new Map<string, CheckSummary[]>();
  for (const check of checks) groups.set(check.group, [...(groups.get(check.group) ?? []), check]);
  return [...groups];
}

function sumOf(checks: readonly CheckSummary[], field: 'passes' | 'fails'): number {
  return checks.reduce((sum, check) => sum + check[field], 0);
}

const KINDS = [
  'CUSTOM',
  'HTTP',
  'EXECUTION',
  'NETWORK',
  'BROWSER',
  'WEB_VITALS',
  'GRPC',
  'WEBSOCKET',
] as const;
type Kind = (typeof KINDS)[number];

/** k6's own metrics begin with these; one of the script's that does so too stands with them. */
const PREFIXES: [prefix: RegExp, kind: Kind][] = [
  [/^http_req/, 'HTTP'],
  [/^(vus|vus_max|iterations|iteration_duration|dropped_iterations|group_duration)$/, 'EXECUTION'],
  [/^data_(sent|received)$/, 'NETWORK'],
  [/^browser_web_vital_/, 'WEB_VITALS'],
  [/^browser_/, 'BROWSER'],
  [/^grpc_/, 'GRPC'],
  [/^ws_/, 'WEBSOCKET'],
];

function kindOf(name: string): Kind {
  const base = name.split('{', 1)[0]!;
  return PREFIXES.find(([prefix]) => prefix.test(base))?.[1] ?? 'CUSTOM';
}

/**
 * Under a heading for each kind.
 * @param width where there is less room, trends have fewer of their values
 */
export function metricLines(script: ScriptSummary, width = Number.POSITIVE_INFINITY): string[] {
  for (let left = 0; ; left++) {
    const lines = linesWith(
      script,
      TREND_FIELDS.filter(([head]) => !SPARED.slice(0, left).includes(head)),
    );
    if (left === SPARED.length || lines.every((line) => [...line].length <= width)) return lines;
  }
}

/** Checks are told apart from these, as a whole and by group. */
function linesWith(script: ScriptSummary, fields: readonly TrendField[]): string[] {
  const named = Object.entries(script.metrics).filter(([name]) => !/^checks(\{group:[^,]*\})?$/.test(name));
  const metrics = Object.fromEntries(named);
  const dots = Math.max(0, ...named.map(([name]) => shown(name, metrics).length)) + 3;
  const trends = trendWidths(named, fields);
  const values = Math.max(0, ...named.map(([, metric]) => firstText(metric).length));
  return KINDS.flatMap((kind) => {
    const own = named.filter(([name]) => kindOf(name) === kind);
    if (own.length === 0) return [];
    const lines = own.map(([name, metric]) => {
      const value = metric.type === 'trend' ? trendText(metric, fields, trends) : countText(metric, values);
      return `${shown(name, metrics).padEnd(dots, '.')}: ${value}`.trimEnd();
    });
    return [kind, ...lines, ''];
  }).slice(0, -1);
}

/** One with tags stands under its own, where that is there. */
function shown(name: string, metrics: ScriptSummary['metrics']): string {
  const at = name.indexOf('{');
  const isUnder = at > 0 && Object.hasOwn(metrics, name.slice(0, at));
  return plain(isUnder ? `  { ${name.slice(at + 1, -1)} }` : name);
}

type TrendField = [head: string, field: Exclude<keyof TrendSummary, 'type' | 'contains' | 'error' | 'count'>];

const TREND_FIELDS: TrendField[] = [
  ['avg', 'mean'],
  ['min', 'min'],
  ['med', 'p50'],
  ['max', 'max'],
  ['p(90)', 'p90'],
  ['p(95)', 'p95'],
];
/** First to last. */
const SPARED = ['min', 'p(90)', 'max', 'avg'];

function trendWidths(named: readonly [string, MetricSummary][], fields: readonly TrendField[]): number[] {
  return fields.map(([, field]) =>
    Math.max(
      0,
      ...named.map(([, metric]) => (metric.type === 'trend' ? trendValueText(metric, field).length : 0)),
    ),
  );
}

function trendText(metric: TrendSummary, fields: readonly TrendField[], widths: readonly number[]): string {
  return fields
    .map(([head, field], i) => `${head}=${trendValueText(metric, field).padEnd(widths[i]!)}`)
    .join(' ');
}

type Counted = Exclude<MetricSummary, TrendSummary>;

function firstText(metric: MetricSummary): string {
  switch (metric.type) {
    case 'counter':
      return scriptValueText(metric.count, ownUnit(metric));
    case 'gauge':
      return scriptValueText(metric.value, ownUnit(metric));
    case 'rate':
      return scriptValueText(metric.rate, 'share');
    case 'trend':
      return '';
  }
}

function countText(metric: Counted, width: number): string {
  return `${firstText(metric).padEnd(width)} ${besides(metric)}`;
}

function besides(metric: Counted): string {
  switch (metric.type) {
    case 'counter':
      return `${scriptValueText(metric.rate, ownUnit(metric))}/s`;
    case 'gauge':
      return `min=${scriptValueText(metric.min, ownUnit(metric))} max=${scriptValueText(metric.max, ownUnit(metric))}`;
    case 'rate':
      return `${metric.passes} out of ${metric.passes + metric.fails}`;
  }
}

function lined(rows: readonly [name: string, value: string, more: string][]): string[] {
  const dots = Math.max(...rows.map(([name]) => name.length)) + 3;
  const width = Math.max(...rows.map(([, value]) => value.length));
  return rows.map(([name, value, more]) => `${name.padEnd(dots, '.')}: ${value.padEnd(width)} ${more}`);
}
