/** Who refers to the axes of the sweep, and to the columns of the data. */
import { ENGINE_AXIS } from './engine-choice.ts';
import { axisVariable, hooksUse } from './hooks.ts';
import { didYouMean, listOf, type Problem } from './problem.ts';
import type { ScenarioSource } from './scenario.ts';
import { type Axis, COLUMN, type Reference, referencesIn } from './sweep.ts';

function requestReferences({ request, requests, load }: ScenarioSource): Reference[] {
  return [
    ...referencesIn(request, ['request']),
    ...referencesIn(requests, ['requests']),
    ...referencesIn(load, ['load']),
  ];
}

function axisReferences(source: ScenarioSource): Reference[] {
  const { engine, k6 } = source;
  return [
    ...requestReferences(source).filter(({ axis }) => !axis?.startsWith(COLUMN)),
    ...referencesIn(engine, ['engine']),
    ...referencesIn(k6, ['k6']),
  ];
}

/** Of `${data.column}`. */
export function columnReferences(source: ScenarioSource): Reference[] {
  return requestReferences(source).filter(({ axis }) => axis?.startsWith(COLUMN));
}

/** `${axis}` in places where it has no value, of axes that there are not; and axes that nothing uses. */
export function referenceProblems(source: ScenarioSource, axes: readonly Axis[]): Problem[] {
  const names = axes.map((axis) => axis.name);
  // Rows and URLs are taken as they are.
  const { engine, k6, request, requests, load, sweep, data, urls, hooks, ...rest } = source;
  const places = k6 === undefined ? ['request', 'load'] : ['request', 'load', 'k6'];
  const references = axisReferences(source);
  const problems: Problem[] = [];
  for (const { path, axis } of references) {
    if (axis === undefined)
      problems.push({ path, message: '"${" is never closed; write $${ for a literal ${' });
    else if (!names.includes(axis)) {
      const known = names.length === 0 ? '; there is no sweep' : didYouMean(axis, names);
      problems.push({ path, message: `\${${axis}} is not an axis of the sweep${known}` });
    }
  }
  for (const { path, axis } of referencesIn(rest)) {
    if (axis === undefined || !names.includes(axis)) continue;
    problems.push({ path, message: `\${${axis}} has a value only inside ${listOf(places, 'and')}` });
  }
  for (const { path, axis } of referencesIn(hooks, ['hooks'])) {
    if (axis === undefined || !names.includes(axis)) continue;
    problems.push({
      path,
      message: `in a hook, the axis is $${axisVariable(axis)} (the shell reads \${${axis}})`,
    });
  }
  // A misspelt reference leaves its axis unused; one of the two messages is enough.
  if (problems.length > 0) return problems;
  for (const axis of names) {
    if (axis === 'target' || references.some((reference) => reference.axis === axis)) continue;
    if (axis === ENGINE_AXIS && engine === undefined) continue;
    if (hooksUse(hooks, axis)) continue;
    const inHooks = hooks === undefined ? '' : `, or $${axisVariable(axis)} into a hook`;
    const message = `the axis is not used; put \${${axis}} into ${listOf(places)}${inHooks}, or remove the axis`;
    problems.push({ path: ['sweep', axis], message, atKey: true });
  }
  return problems;
}
