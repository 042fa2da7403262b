/** `--set key=value`: changes of a scenario from the command line, by path, before it is checked. */
import { parse as parseYamlScalar } from 'yaml';
import { BroadsideError, messageOf } from '../errors.ts';

const FORM = 'expected --set KEY=VALUE, such as --set load.duration=5s or --set sweep.connections="[1, 40]"';

/**
 * @param value a scenario as parsed from YAML; it is not changed
 * @param settings `load.duration=5s`: the path in the scenario, and the value as YAML would have it
 * @throws BroadsideError USAGE for a setting of another form
 */
export function applySettings(value: unknown, settings: readonly string[]): unknown {
  return settings.reduce(applySetting, value);
}

function applySetting(value: unknown, setting: string): unknown {
  const equals = setting.indexOf('=');
  const keys = setting.slice(0, equals).split('.');
  if (equals < 1 || keys.some((key) => key === ''))
    throw new BroadsideError('USAGE', `--set ${setting}: ${FORM}`);
  let wanted: unknown;
  try {
    wanted = parseYamlScalar(setting.slice(equals + 1));
  } catch (cause) {
    throw new BroadsideError('USAGE', `--set ${setting}: the value is not YAML: ${messageOf(cause)}`, {
      cause,
    });
  }
  return withValue(value, keys, wanted);
}

function withValue(value: unknown, [key, ...rest]: string[], wanted: unknown): unknown {
  if (key === undefined) return wanted;
  const before = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const own = Object.entries(before);
  const place = own.findIndex(([name]) => name === key);
  const changed: [string, unknown] = [key, withValue(own[place]?.[1], rest, wanted)];
  // In its place, for the order of targets and axes means something. fromEntries defines properties: a key such as
  // __proto__ stays a key, and the schema refuses it.
  return Object.fromEntries(place < 0 ? [...own, changed] : own.with(place, changed));
}
