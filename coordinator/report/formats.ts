/** The formats that a report can take, by their names. */
import { BroadsideError } from '../../shared/errors.ts';
import { formatAb } from './ab.ts';
import { formatCsv, formatCsvMatrix, formatTsv } from './csv.ts';
import { FORMAT_NAMES, type FormatName } from './format-names.ts';
import type { Formatter, PieceFormatter } from './formatter.ts';
import { formatHlog } from './hlog.ts';
import { formatHtml, htmlPieces } from './html.ts';
import { formatJson, jsonPieces } from './json.ts';
import { formatJunit } from './junit.ts';
import { formatK6 } from './k6.ts';
import { formatMarkdown } from './markdown.ts';
import type { ReportOptions } from './schema.ts';
import { formatText } from './text.ts';

const FORMATTERS: Record<FormatName, Formatter> = {
  text: formatText,
  ab: formatAb,
  json: formatJson,
  csv: formatCsv,
  'csv-matrix': formatCsvMatrix,
  tsv: formatTsv,
  md: formatMarkdown,
  html: formatHtml,
  junit: formatJunit,
  hlog: formatHlog,
  k6: formatK6,
};

/** @throws BroadsideError USAGE for a name that is none of `FORMAT_NAMES`. */
export function formatterFor(name: string): Formatter {
  const known = FORMAT_NAMES.find((format) => format === name);
  if (known === undefined) {
    throw new BroadsideError('USAGE', `--format ${name}: there is no such format`, {
      hint: `the formats are ${FORMAT_NAMES.join(', ')}`,
    });
  }
  return FORMATTERS[known];
}

/** Those whose text grows with the detail of every trial. */
const IN_PIECES: Partial<Record<string, PieceFormatter>> = { json: jsonPieces, html: htmlPieces };

/** For who writes the text and does not need it as a whole. @throws BroadsideError as `formatterFor` */
export function piecesFor(name: string): PieceFormatter {
  const formatter = formatterFor(name);
  return IN_PIECES[name] ?? ((report, options) => [formatter(report, options)]);
}

/** Those that show trials second by second, all of them; of one alone, `text` does by itself. */
const BY_SECOND: readonly string[] = ['json', 'html', 'hlog'];

/** Those that print histograms, draw them, or ask them for more quantiles than a summary has. */
const WITH_HISTOGRAMS: readonly string[] = ['json', 'html', 'hlog', 'ab'];

/** What a report has to hold for this format, and what it need not. */
export function optionsFor(format: string, detail = false): ReportOptions {
  return {
    histograms: WITH_HISTOGRAMS.includes(format),
    secondHistograms: format === 'hlog',
    secondLatencies: BY_SECOND.includes(format) || (format === 'text' && detail),
  };
}
