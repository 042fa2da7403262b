/** `data` of a scenario: rows of a CSV file as parameters of requests, in their order. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { field, mapping, oneOf, Refusal, refuse } from './fields.ts';
import type { Problem } from './problem.ts';
import type { DataPlan } from './run.ts';

export const MOST_DATA_BYTES = 8 * 1024 ** 2;
export const MOST_ROWS = 500_000;

const dataFile = field((value): undefined | Refusal => {
  if (typeof value !== 'string' || value === '') return refuse(value, 'the name of a CSV file');
  return new Refusal(
    'a file can be named only in a scenario file that `coordinator run` or `validate` reads; ' +
      'here give the rows as "csv"',
  );
});

const csv = field((value) => (typeof value === 'string' ? value : refuse(value, 'the text of a CSV file')));

const seed = field((value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse(value, 'a whole number, 0 or more'),
);

export const dataSchema = mapping(
  {
    file: dataFile.optional(),
    csv: csv.optional(),
    order: oneOf('sequential', 'shuffled').default('sequential'),
    seed: seed.optional(),
  },
  '{ file: rows.csv }',
).transform((data, context): DataPlan => {
  const refuseAt = (path: string[], message: string): never => {
    context.addIssue({ code: 'custom', message, path });
    return z.NEVER;
  };
  if (data.csv === undefined)
    return refuseAt([], 'no rows are given; add "file", such as { file: rows.csv }');
  if (data.seed !== undefined && data.order === 'sequential') {
    return refuseAt(['seed'], 'only a shuffled order has a seed; add order: shuffled, or remove it');
  }
  const read = readCsv(data.csv);
  if (read instanceof Refusal) return refuseAt(['csv'], read.message);
  const rows = data.order === 'sequential' ? read.rows : shuffled(read.rows, data.seed ?? 0);
  return { columns: read.columns, count: rows.length, rows };
});

/** The first row names the columns; lines are those of the text, from 1. */
export function readCsv(text: string): Pick<DataPlan, 'columns' | 'rows'> | Refusal {
  if (Buffer.byteLength(text) > MOST_DATA_BYTES) return new Refusal('more than 8 MiB of rows');
  // Loaded where there are rows: most scenarios have none, and every start of a coordinator would pay for it.
  const { CsvError, parse } = createRequire(import.meta.url)(
    'csv-parse/sync',
  ) as typeof import('csv-parse/sync');
  let all: string[][];
  try {
    all = parse(text, { bom: true, skip_empty_lines: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return new Refusal(`this is not CSV: ${error.message}`);
  }
  const [columns, ...rows] = all;
  if (columns === undefined || rows.length === 0) {
    return new Refusal('there are no rows; expected a row of column names, and one row or more below it');
  }
  if (rows.length > MOST_ROWS) return new Refusal(`${rows.length} rows are more than ${MOST_ROWS}`);
  const names = columns.map((name) => name.trim());
  const unnamed = names.findIndex((name) => name === '' || /[{}]/.test(name));
  if (unnamed >= 0) {
    return new Refusal(
      `column ${unnamed + 1} has no name that can be written as \${data.name} in the first row`,
    );
  }
  const twice = names.find((name, i) => names.indexOf(name) < i);
  return twice === undefined ? { columns: names, rows } : new Refusal(`two columns are named "${twice}"`);
}

/** The same seed gives the same order everywhere: by the SHA-256 of seed and place. */
function shuffled(rows: readonly string[][], seedNumber: number): string[][] {
  const keyed = rows.map((row, i) => ({
    row,
    key: createHash('sha256').update(`${seedNumber}/${i}`).digest().readUIntBE(0, 6),
  }));
  return keyed.sort((a, b) => a.key - b.key).map(({ row }) => row);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const NOT_IN_HEADERS = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Values that would begin another header; `used` are the columns that headers use. */
export function headerProblems(data: DataPlan, used: readonly string[]): Problem[] {
  for (const name of used) {
    const column = data.columns.indexOf(name);
    const row = data.rows.findIndex((values) => NOT_IN_HEADERS.test(values[column] ?? ''));
    if (row < 0) continue;
    const message = `a value of column "${name}", which a header uses, has a line break or control character in it`;
    return [{ path: ['data'], message }];
  }
  return [];
}
