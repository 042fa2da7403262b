/**
 * Thresholds in k6's own language, as a script's options have them: `p(95)<500`, `rate>0.99`, `count < 10`.
 * https://grafana.com/docs/k6/latest/using-k6/thresholds/#threshold-syntax
 */
import { AGGREGATION_FORMS, type Aggregation, readAggregation } from './script-metric.ts';

export const SCRIPT_COMPARISONS = ['<=', '<', '>=', '>', '===', '==', '!==', '!='] as const;
export type ScriptComparison = (typeof SCRIPT_COMPARISONS)[number];

export interface ScriptExpression {
  aggregation: Aggregation;
  comparison: ScriptComparison;
  /** In the metric's own unit: ms for times, bytes for data, a share of 1 for rates. */
  limit: number;
}

const FORM = /^\s*([a-z]+(?:\([^)]*\))?)\s*(<=|>=|!==|===|==|!=|<|>)\s*(\S+)\s*$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The expression, or what is wrong with it. */
export function readScriptExpression(text: string): ScriptExpression | { problem: string } {
  const match = FORM.exec(text);
  if (match === null)
    return { problem: `expected an aggregation, a comparison and a number, such as "p(95)<500"` };
  const [, method, comparison, limit] = match as unknown as [string, string, ScriptComparison, string];
  const aggregation = readAggregation(method);
  if (aggregation === undefined) return { problem: `"${method}" is none of ${AGGREGATION_FORMS}` };
  if (!NUMBER.test(limit)) return { problem: `"${limit}" is no number` };
  return { aggregation, comparison, limit: Number(limit) };
}

export function holds(value: number, comparison: ScriptComparison, limit: number): boolean {
  switch (comparison) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '==':
    case '===':
      return value === limit;
    case '!=':
    case '!==':
      return value !== limit;
  }
}
