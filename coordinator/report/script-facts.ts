/** What there is to say of a trial's script, and its tables: the same in text, md and html. */

import type { MetricSummary, ScriptSummary } from '../../shared/metrics/script-summary.ts';
import type { Summary } from '../../shared/metrics/summary.ts';
import { RELATIVE_ERROR } from '../../shared/metrics/value-histogram.ts';
import type { Fact } from './fact.ts';
import type { ReportScript, ReportTrial } from './schema.ts';
import { ownUnit, scriptValueText, trendValueText } from './script-text.ts';
import type { TableModel } from './table-model.ts';
import { plain, plural } from './text-line.ts';

/** `login.js (3f2a91c0), scenarios default: shared-iterations` */
export function scriptText({ name, sha256, scenarios = {} }: ReportScript): string {
  const digest = sha256 === undefined ? '' : ` (${sha256.slice(0, 8)})`;
  const executors = Object.entries(scenarios).map(([scenario, executor]) => `${scenario}: ${executor}`);
  const listed = executors.length === 0 ? '' : `, ${executors.join(', ')}`;
  return plain(`${name}${digest}${listed}`);
}

/** What of a script is to be looked at, among many trials. */
export function scriptRemarks(trial: ReportTrial): Fact[] {
  const { script } = trial.summary;
  const failed = script?.checks.filter(({ fails }) => fails > 0) ?? [];
  const names = failed.map(({ name, fails }) => `${name} ${fails}`).join(', ');
  return [
    ...thrownFacts(trial),
    ...(failed.length === 0 ? [] : [['Checks', plain(`failed: ${names}`)] satisfies Fact]),
    ...exitFacts(trial),
  ];
}

function thrownFacts({ summary, script }: ReportTrial): Fact[] {
  const { thrownIterations = 0, iterations = 0 } = summary.script ?? {};
  const { firstError } = script ?? {};
  const first = firstError === undefined ? '' : `first on ${firstError.worker}: ${firstError.message}`;
  if (thrownIterations === 0) return first === '' ? [] : [['Script error', plain(first)]];
  const counted = `${thrownIterations} of ${plural(iterations, 'iteration')} ended in an exception`;
  return [['THREW', plain(first === '' ? counted : `${counted}; ${first}`)]];
}

function exitFacts({ workers }: ReportTrial): Fact[] {
  return workers.flatMap(({ name, exit, warnings = [] }): Fact[] => [
    ...(exit === undefined ? [] : [['K6 ENDED', plain(`${name}: ${exitText(exit)}`)] satisfies Fact]),
    ...warnings.map((warning): Fact => ['WARNING', plain(`${name}: ${warning}`)]),
  ]);
}

/** Nothing where the built-in engine made the load. */
export function scriptFacts(trial: ReportTrial): Fact[] {
  const { script } = trial.summary;
  const exits = exitFacts(trial);
  if (script === undefined) return [...thrownFacts(trial), ...exits];
  const { vus, iterations, iterationRate, droppedIterations } = script;
  const facts: Fact[] = [
    ['VUs', `at most ${vus.max} at work, ${vus.allocated} allocated`],
    [
      'Iterations',
      `${iterations}, ${iterationRate.toFixed(2)}/s${droppedIterations === 0 ? '' : `, ${droppedIterations} dropped`}`,
    ],
  ];
  facts.push(...thrownFacts(trial));
  const checks = checksText(script);
  if (checks !== undefined) facts.push(['Checks', checks]);
  return [...facts, ...exits];
}

function exitText({ code, signal }: { code?: number; signal?: string }): string {
  return signal === undefined ? `with exit code ${code}` : `by ${signal}`;
}

function checksText({ checks }: Pick<ScriptSummary, 'checks'>): string | undefined {
  if (checks.length === 0) return undefined;
  const [passes, fails] = [sum(checks.map((one) => one.passes)), sum(checks.map((one) => one.fails))];
  const share = scriptValueText(passes + fails === 0 ? 0 : passes / (passes + fails), 'share');
  return `${share} passed, ${passes} of ${passes + fails}`;
}

/** With a heading and notes each; none where there is no script. */
export function scriptTables({ script }: Summary): { title: string; model: TableModel; notes: string[] }[] {
  if (script === undefined) return [];
  const { trends, others } = metricTables(script);
  const all: [title: string, model: TableModel | undefined, notes?: string[]][] = [
    ['Checks', checkTable(script)],
    ['Groups', groupTable(script)],
    ['Trends', trends, trendNotes(script)],
    ['Counters, gauges and rates', others],
  ];
  return all.flatMap(([title, model, notes = []]) => (model === undefined ? [] : [{ title, model, notes }]));
}

/** Undefined where the script has none. */
function checkTable({ checks }: ScriptSummary): TableModel | undefined {
  if (checks.length === 0) return undefined;
  return {
    head: ['', 'Check', 'group', 'passed', 'failed', 'share'],
    rows: checks.map(({ group, name, passes, fails, rate }) => [
      fails === 0 ? '✓' : '✗',
      plain(name),
      plain(groupText(group)),
      String(passes),
      String(fails),
      scriptValueText(rate, 'share'),
    ]),
    right: [3, 4, 5],
  };
}

/** Undefined where the script has none. */
function groupTable({ groups }: ScriptSummary): TableModel | undefined {
  if (groups.length === 0) return undefined;
  return {
    head: ['Group', 'checks passed', 'failed', 'mean', 'p50', 'p95', 'p99'],
    rows: groups.map(({ path, checks, duration }) => [
      plain(groupText(path)),
      String(checks.passes),
      String(checks.fails),
      ...(['mean', 'p50', 'p95', 'p99'] as const).map((field) =>
        duration === undefined ? '-' : scriptValueText(duration[field], 'time'),
      ),
    ]),
    right: [1, 2, 3, 4, 5, 6],
  };
}

function groupText(path: string): string {
  return path.split('::').slice(1).join(' › ');
}

/** Trends, and all else, apart: they have nothing in common. Each undefined where there is none. */
function metricTables({ metrics }: ScriptSummary): { trends?: TableModel; others?: TableModel } {
  const named = Object.entries(metrics);
  const trends = named.flatMap(([name, metric]) =>
    metric.type === 'trend' ? [[name, metric] as const] : [],
  );
  const others = named.flatMap(([name, metric]) =>
    metric.type === 'trend' ? [] : [[name, metric] as const],
  );
  const fields = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;
  return {
    ...(trends.length > 0 && {
      trends: {
        head: ['Trend', 'count', ...fields],
        rows: trends.map(([name, metric]) => [
          plain(name),
          String(metric.count),
          ...fields.map((field) => trendValueText(metric, field)),
        ]),
        right: [1, ...fields.map((_, i) => i + 2)],
      },
    }),
    ...(others.length > 0 && {
      others: {
        head: ['Metric', 'type', 'value', 'rate or range'],
        rows: others.map(([name, metric]) => [plain(name), metric.type, ...otherTexts(metric)]),
        right: [2],
      },
    }),
  };
}

function otherTexts(metric: Exclude<MetricSummary, { type: 'trend' }>): [value: string, more: string] {
  const text = (value: number) => scriptValueText(value, ownUnit(metric));
  switch (metric.type) {
    case 'counter':
      return [text(metric.count), `${text(metric.rate)}/s`];
    case 'gauge':
      return [text(metric.value), `${text(metric.min)} to ${text(metric.max)}`];
    case 'rate':
      return [text(metric.rate), `${metric.passes} of ${metric.passes + metric.fails}`];
  }
}

/** How exact the quantiles are. */
export function trendNotes({ metrics }: ScriptSummary): string[] {
  const errors = Object.values(metrics).flatMap((metric) => (metric.type === 'trend' ? [metric.error] : []));
  if (errors.length === 0) return [];
  const worst = Math.max(...errors);
  const percent = Number((worst * 100).toPrecision(2));
  const by = worst > RELATIVE_ERROR ? ' (summed up by k6)' : '';
  return [`quantiles of trends are within ${percent} % of themselves${by}; min, mean and max are exact`];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
