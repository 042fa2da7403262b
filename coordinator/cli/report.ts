/** `coordinator report`: a finished run's report again, in any format, from its journal alone. */
import { existsSync, statSync } from 'node:fs';
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { BroadsideError, messageOf } from '../../shared/errors.ts';
import { FORMAT_NAMES } from '../report/format-names.ts';
import type { Report } from '../report/schema.ts';
import { caOption, dataOption, parseUrl, tokenOption } from './options.ts';
import { loadReport } from './run-source.ts';
import { type TableFlags, withAskedTable, withTableOptions } from './table-options.ts';

interface ReportFlags extends TableFlags {
  format: string;
  out?: string;
  detail?: boolean;
  data?: string;
  coordinator?: URL;
  token?: string;
  ca?: string;
}

/** For the help of `--format`. */
export const FORMATS = `${FORMAT_NAMES.slice(0, -1).join(', ')} or ${FORMAT_NAMES.at(-1)}`;

/** For the help of `--detail`. */
export const DETAIL =
  'text and md: all cells and every trial in full; csv and tsv: a row a trial and name of a request';
const DETAILED: readonly string[] = ['text', 'md', 'csv', 'tsv'];

/** @throws BroadsideError USAGE for a format that has no more to say */
export function checkDetail({ detail, format }: { detail?: boolean; format: string }): void {
  if (detail !== true || DETAILED.includes(format)) return;
  throw new BroadsideError(
    'USAGE',
    `--detail: goes with --format ${DETAILED.join(', ')}, not with ${format}`,
  );
}

export function reportCommand(): Command {
  const command = new Command('report').description('print the report of a run from its journal');
  return withTableOptions(command)
    .argument('<run|dir>', "a run's id, or the directory of its journal")
    .option('--format <format>', FORMATS, 'text')
    .option('--out <file>', 'write it there instead of stdout')
    .option('--detail', DETAIL)
    .option('--coordinator <url>', 'ask this coordinator rather than the data directory', parseUrl)
    .addOption(tokenOption())
    .addOption(caOption())
    .addOption(dataOption())
    .action(printReport);
}

async function printReport(run: string, flags: ReportFlags): Promise<void> {
  const { formatterFor, optionsFor } = await import('../report/formats.ts');
  // A format that does not exist is said before anything is read.
  formatterFor(flags.format);
  checkDetail(flags);
  await checkOut(flags.out);
  const options = optionsFor(flags.format, flags.detail);
  // Any quantile may be asked for.
  if (flags.metric !== undefined) options.histograms = true;
  const report = await loadReport(run, flags, options);
  await writeReport(await withAskedTable(report, flags), flags);
}

/**
 * Looks before a run whether its report can be written after it.
 * @throws BroadsideError FILE_UNREADABLE
 */
export async function checkOut(out: string | undefined): Promise<void> {
  if (out === undefined) return;
  const fail = (why: string): never => {
    throw new BroadsideError('FILE_UNREADABLE', `--out ${out}: cannot be written: ${why}`);
  };
  if (out === '') fail('it has no name');
  if (existsSync(out) && statSync(out).isDirectory()) fail('it is a folder');
  const folder = path.dirname(path.resolve(out));
  if (!existsSync(folder) || !statSync(folder).isDirectory()) fail(`there is no folder ${folder}`);
  await access(existsSync(out) ? out : folder, constants.W_OK).catch((error) => fail(messageOf(error)));
}

/** @throws BroadsideError FILE_UNREADABLE when the file cannot be written */
export async function writeReport(
  report: Report,
  { format, out, detail }: { format: string; out?: string; detail?: boolean },
): Promise<void> {
  const { piecesFor } = await import('../report/formats.ts');
  await writePieces(piecesFor(format)(report, { width: process.stdout.columns, detail }), out);
}

/** @throws BroadsideError FILE_UNREADABLE when the file cannot be written */
export async function writeText(text: string, out: string | undefined): Promise<void> {
  await writePieces([text], out);
}

async function writePieces(pieces: Iterable<string>, out: string | undefined): Promise<void> {
  if (out === undefined) {
    await print(pieces);
    return;
  }
  await writeFile(out, pieces).catch((cause) => {
    // Not what went wrong with a piece.
    if (!('syscall' in cause)) throw cause;
    throw new BroadsideError('FILE_UNREADABLE', `--out ${out}: ${messageOf(cause)}`, { cause });
  });
}

/** Resolves when the reader has taken all of it: the process ends without waiting for a slow one. */
async function print(pieces: Iterable<string>): Promise<void> {
  let closed = false;
  // A reader that has had enough, such as `head`, is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    closed = true;
  });
  for (const piece of pieces) {
    if (closed) return;
    await new Promise<void>((resolve) => {
      process.stdout.write(piece, () => resolve());
    });
  }
}
