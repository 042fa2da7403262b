/**
 * Metrics of k6 scripts by name: what one of their values is, and which of its values a threshold or a table asks for.
 * https://grafana.com/docs/k6/latest/using-k6/metrics/reference/
 */

/** A metric's name, and the tags that its samples must have: `http_req_duration{name:login}`. */
export interface ScriptMetricName {
  base: string;
  /** In order, so that the same ones are equal. */
  tags: [key: string, value: string][];
}

/** As k6 reads it; undefined for what is none. */
export function readScriptMetricName(text: string): ScriptMetricName | undefined {
  const match = /^([^{}]+?)\s*(?:\{(.*)\})?$/s.exec(text.trim());
  if (match === null) return undefined;
  const [, base, inside] = match;
  if (inside === undefined) return { base: base!, tags: [] };
  const tags = inside.split(',').map((part): [string, string] => {
    const [key = '', ...value] = part.split(':');
    return [unquoted(key), unquoted(value.join(':'))];
  });
  if (tags.some(([key, value]) => key === '' || value === '')) return undefined;
  return { base: base!, tags: tags.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) };
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/s, '$2');
}

/** The same for names that mean the same: `m{b:2, a:1}` is `m{a:1,b:2}`. What is no name stays as it is. */
export function canonicalMetricName(text: string): string {
  const name = readScriptMetricName(text);
  if (name === undefined) return text;
  const { base, tags } = name;
  return tags.length === 0 ? base : `${base}{${tags.map(([key, value]) => `${key}:${value}`).join(',')}}`;
}

/** Which of a metric's values; `p` with the percent, 0 to 100. */
export type Aggregation =
  | { method: 'avg' | 'min' | 'med' | 'max' | 'count' | 'rate' | 'value' }
  | { method: 'p'; percent: number };

const METHODS = ['avg', 'min', 'med', 'max', 'count', 'rate', 'value'] as const;
const QUANTILE = /^p\(\s*(\d+(?:\.\d+)?)\s*\)$/;

/** `avg`, `p(95)`; undefined for what is none. */
export function readAggregation(text: string): Aggregation | undefined {
  const method = METHODS.find((known) => known === text);
  if (method !== undefined) return { method };
  const percent = Number(QUANTILE.exec(text)?.[1] ?? Number.NaN);
  return percent <= 100 ? { method: 'p', percent } : undefined;
}

/** `p(95)`. */
export function aggregationText(aggregation: Aggregation): string {
  return aggregation.method === 'p' ? `p(${aggregation.percent})` : aggregation.method;
}

export const AGGREGATION_FORMS = `${METHODS.join(', ')} or p(95)`;

/** What a value is when it is to be shown: ms, bytes, a share of 1, so many a second, or a number. */
export type ScriptUnit = 'time' | 'data' | 'share' | 'perSecond' | 'plain';

const TIMES =
  /^(http_req_(?!failed)\w+|iteration_duration|group_duration|ws_(connecting|session_duration|ping)|grpc_req_duration)$/;
const DATA = /^data_(sent|received)$/;
const COUNTERS =
  /^(iterations|dropped_iterations|http_reqs|data_(sent|received)|ws_(sessions|msgs_(sent|received)))$/;

/**
 * @param kind the metric's own, where it is known; by its name where it is one of k6's, else a number
 */
export function scriptUnit(
  metric: string,
  { method }: Aggregation,
  kind?: { type: 'counter' | 'gauge' | 'rate' | 'trend'; contains: 'default' | 'time' | 'data' },
): ScriptUnit {
  const { base = metric } = readScriptMetricName(metric) ?? {};
  if (method === 'rate') {
    const counts = kind === undefined ? COUNTERS.test(base) : kind.type === 'counter';
    return counts
      ? 'perSecond'
      : kind !== undefined || /^(checks|http_req_failed)$/.test(base)
        ? 'share'
        : 'plain';
  }
  const contains = kind?.contains ?? (TIMES.test(base) ? 'time' : DATA.test(base) ? 'data' : 'default');
  return contains === 'default' || (method === 'count' && contains === 'time') ? 'plain' : contains;
}
