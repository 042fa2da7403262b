/** `--set key=value`: one value of a scenario changed from the command line, before it is checked. */
import { parse } from 'yaml';
import { BroadsideError, messageOf } from '../errors.ts';
import { type Path, pathText, show } from './problem.ts';

export interface Setting {
  /** As it was given, for messages. */
  text: string;
  path: Path;
  value: unknown;
}

/**
 * `load.connections=40`, `sweep.size=[1KiB, 4KiB]`, `thresholds.0=errors == 0`: keys from the top, the value as YAML.
 * @throws BroadsideError USAGE
 */
export function readSetting(text: string): Setting {
  const equals = text.indexOf('=');
  const keys = text.slice(0, equals).trim().split('.');
  if (equals < 1 || keys.includes('')) {
    throw new BroadsideError(
      'USAGE',
      `--set ${show(text)}: expected KEY=VALUE, such as --set load.duration=5s or --set sweep.connections="[1, 40]"`,
    );
  }
  let value: unknown;
  try {
    value = parse(text.slice(equals + 1), { prettyErrors: false });
  } catch (error) {
    throw new BroadsideError('USAGE', `--set ${show(text)}: the value is not YAML: ${messageOf(error)}`);
  }
  const path = keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  return { text: `--set ${text}`, path, value };
}

/**
 * A copy of the scenario with the value in its place; mappings on the way to it are made.
 * @throws BroadsideError USAGE when something else is on the way.
 */
export function applySetting(scenario: unknown, setting: Setting): unknown {
  return setAt(scenario, setting, 0);
}

function setAt(holder: unknown, setting: Setting, depth: number): unknown {
  const { path, value } = setting;
  if (depth === path.length) return value;
  const key = path[depth]!;
  if (Array.isArray(holder)) {
    if (typeof key === 'number' && key <= holder.length) {
      return Object.assign([...holder], { [key]: setAt(holder[key], setting, depth + 1) });
    }
  } else if (holder === undefined || holder === null || typeof holder === 'object') {
    const held = (holder ?? {}) as Record<string | number, unknown>;
    const inner = Object.hasOwn(held, key) ? held[key] : undefined;
    return { ...held, [key]: setAt(inner, setting, depth + 1) };
  }
  const place = depth === 0 ? 'the scenario' : pathText(path.slice(0, depth));
  throw new BroadsideError('USAGE', `${setting.text}: ${place} is ${show(holder)} and has no ${show(key)}`);
}
