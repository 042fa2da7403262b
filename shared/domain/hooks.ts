/** `hooks` of a scenario: shell commands that the coordinator's machine runs before and after a run, a cell or a trial. */
import type { z } from 'zod';
import { duration, field, mapping, Refusal, refuse } from './fields.ts';
import type { Problem } from './problem.ts';
import type { Cell } from './run.ts';
import type { Axis } from './sweep.ts';

export const HOOK_NAMES = [
  'beforeRun',
  'afterRun',
  'beforeCell',
  'afterCell',
  'beforeTrial',
  'afterTrial',
] as const;
export type HookName = (typeof HOOK_NAMES)[number];

const MOST_COMMANDS = 100;

/** A command line for `sh -c`, or several that run one after another. */
const commands = field((value): string[] | Refusal => {
  const example = 'a command line such as "sudo systemctl restart tomcat10", or a list of them';
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) return new Refusal(`the list is empty; expected ${example}`);
  if (list.length > MOST_COMMANDS)
    return new Refusal(`${list.length} commands are more than ${MOST_COMMANDS}`);
  const wrong: unknown = list.find((one) => typeof one !== 'string' || one.trim() === '');
  if (wrong !== undefined || list.includes(undefined)) return refuse(wrong, example);
  const withNul = list.find((one: string) => one.includes('\0'));
  return withNul === undefined ? list : new Refusal('a command cannot have a NUL character in it');
});

export const hooksSchema = mapping(
  {
    beforeRun: commands.optional(),
    afterRun: commands.optional(),
    beforeCell: commands.optional(),
    afterCell: commands.optional(),
    beforeTrial: commands.optional(),
    afterTrial: commands.optional(),
    timeout: duration.default(60_000_000),
  },
  '{ beforeTrial: "./restart-server.sh" }',
).transform(({ timeout, ...lines }) => ({ ...lines, timeoutUs: timeout }));
/** `timeoutUs` is for each command. */
export type HookSpec = z.output<typeof hooksSchema>;

const AXIS_VARIABLE = 'BROADSIDE_AXIS_';

/** `server-cpus` → `BROADSIDE_AXIS_SERVER_CPUS`. */
export function axisVariable(axis: string): string {
  return AXIS_VARIABLE + axis.toUpperCase().replaceAll('-', '_');
}

/** The cell as variables of the environment. */
export function cellEnvironment(cell: Cell): Record<string, string> {
  return Object.fromEntries(Object.entries(cell).map(([axis, value]) => [axisVariable(axis), String(value)]));
}

/** Whether a command names the axis's variable, which is what makes an axis used that no request has. */
export function hooksUse(hooks: unknown, axis: string): boolean {
  const variable = new RegExp(`${axisVariable(axis)}(?!\\w)`);
  return textsIn(hooks).some((text) => variable.test(text));
}

/** Two axes that would be one variable. */
export function hookProblems(hooks: HookSpec | undefined, axes: readonly Axis[]): Problem[] {
  if (hooks === undefined) return [];
  const known = new Map<string, string>();
  return axes.flatMap(({ name }): Problem[] => {
    const variable = axisVariable(name);
    const other = known.get(variable);
    known.set(variable, name);
    if (other === undefined) return [];
    const message = `to hooks, this axis and "${other}" are both $${variable}; rename one`;
    return [{ path: ['sweep', name], message, atKey: true }];
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
