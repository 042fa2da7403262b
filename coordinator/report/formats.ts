/** The formats that a report can take, by the names that `--format` takes. */
import { BroadsideError } from '../../shared/errors.ts';
import { formatAb } from './ab.ts';
import { formatJson } from './json.ts';
import type { Report } from './schema.ts';
import { formatText } from './text.ts';

export interface FormatOptions {
  /** Width of the reader's terminal in columns, where the format is for people. */
  width?: number;
}

/** The whole text, with its final newline. */
export type Formatter = (report: Report, options?: FormatOptions) => string;

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
