/** The formats that a report can take, by the names that `--format` takes. */
import { BroadsideError } from '../../shared/errors.ts';
import { formatAb } from './ab.ts';
import type { Formatter } from './formatter.ts';
import { formatJson } from './json.ts';
import { formatText } from './text.ts';

const FORMATTERS: Record<string, Formatter> = { text: formatText, ab: formatAb, json: formatJson };

export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATTERS);

/** @throws BroadsideError USAGE for a name that is none of `FORMAT_NAMES`. */
export function formatterFor(name: string): Formatter {
  if (!Object.hasOwn(FORMATTERS, name)) {
    throw new BroadsideError('USAGE', `--format ${name}: there is no such format`, {
      hint: `the formats are ${FORMAT_NAMES.join(', ')}`,
    });
  }
  return FORMATTERS[name]!;
}
