/** `--set` on a scenario's variables. Apart from them, for it reads YAML, which a load of one URL need not wait for. */
import { parse } from 'yaml';
import type { Setting } from './scenario-settings.ts';

/**
 * `--set sizes=[4KiB]` means `vars.sizes` where there is such a variable; `warmup.duration=5s` is what scenarios have, even
 * where there is a variable `warmup`. Where the default is a list, `4KiB,64KiB` is one, too.
 */
export function settingOfVariable(scenario: unknown, setting: Setting, keys: ReadonlySet<string>): Setting {
  const vars = isMapping(scenario) ? scenario.vars : undefined;
  if (!isMapping(vars)) return setting;
  const [first, ...more] = setting.path;
  const short =
    typeof first === 'string' && Object.hasOwn(vars, first) && (more.length === 0 || !keys.has(first));
  const path = short ? ['vars', ...setting.path] : setting.path;
  const name = short ? first : first === 'vars' ? more[0] : undefined;
  const isWhole = path.length === 2 && name !== undefined;
  if (!isWhole || !Array.isArray(vars[name]) || Array.isArray(setting.value)) return { ...setting, path };
  const value = typeof setting.value === 'string' ? listOf(setting.value) : [setting.value];
  return { ...setting, path, value };
}

function listOf(text: string): unknown[] {
  return text.split(',').map((piece) => parse(piece.trim()) as unknown);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
