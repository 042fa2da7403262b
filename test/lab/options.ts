/** The flags of `npm run lab`. */
import { parseArgs } from 'node:util';
import { parseLinkSpeed } from '../../worker/host/link-speed.ts';
import { MOST_WORKERS } from './lab.ts';
import { isTargetName, TARGETS, type TargetName } from './targets.ts';

export interface LabOptions {
  workers: number;
  bitsPerSecond: number;
  /** Of the frames of the load's link, each way; undefined: none. */
  loss?: number;
  target: TargetName;
  /** Undefined: none is run. */
  scenario: string | undefined;
  /** Stay up until Ctrl-C. */
  keep: boolean;
  /** For `coordinator run`. */
  words: string[];
}

const DEFAULT_SCENARIO = 'scenarios/lab.yaml';

export const HELP = `npm run lab -- [options] [-- words for coordinator run]
npm run lab -- classics      the classic experiments, to docs/results, about 40 minutes; --help has more
  --workers <n>        load machines (default: 2)
  --rate <speed>       of every link, both ways at a time: 100mbit, 1gbit (default: 100mbit)
  --loss <share>       of the frames that the target's link loses, each way: 1%, 0.5% (default: none)
  --target <name>      what is measured (default: built-in)
  --scenario <file>    what is run (default: ${DEFAULT_SCENARIO})
  --keep               stay up until Ctrl-C, and print how to run commands on each host; runs only a scenario that is named
Words after a second -- go to coordinator run, as in: npm run lab -- --workers 3 -- --format json
Targets:
${Object.entries(TARGETS)
  .map(([name, { what }]) => `  ${name.padEnd(20)} ${what}`)
  .join('\n')}
`;

/** What was wrong with a flag; the message is for the person who gave it. */
export class FlagError extends Error {}

/** @returns `help` when that was asked for. @throws FlagError */
export function readOptions(args: readonly string[]): LabOptions | 'help' {
  const end = args.indexOf('--');
  const [own, words] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const flags = parse(own);
  if (flags.help) return 'help';
  const workers = Number(flags.workers);
  if (!Number.isInteger(workers) || workers < 1 || workers > MOST_WORKERS)
    throw new FlagError(`--workers: ${quoted(flags.workers)} is not a number from 1 to ${MOST_WORKERS}`);
  const rate = parseLinkSpeed(flags.rate);
  if (rate === undefined || rate.interface !== undefined)
    throw new FlagError(`--rate: ${quoted(flags.rate)} is not a speed such as 100mbit or 1gbit`);
  const loss = flags.loss === undefined ? undefined : parseLoss(flags.loss);
  if (!isTargetName(flags.target))
    throw new FlagError(`--target: ${quoted(flags.target)} is none of ${Object.keys(TARGETS).join(', ')}`);
  return {
    workers,
    bitsPerSecond: rate.bitsPerSecond,
    ...(loss !== undefined && { loss }),
    target: flags.target,
    scenario: flags.scenario ?? (flags.keep ? undefined : DEFAULT_SCENARIO),
    keep: flags.keep,
    words: [...words],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        workers: { type: 'string', default: '2' },
        rate: { type: 'string', default: '100mbit' },
        loss: { type: 'string' },
        target: { type: 'string', default: 'built-in' },
        scenario: { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new FlagError((error as Error).message);
  }
}

function parseLoss(text: string): number {
  const share = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1]) / 100;
  if (share > 0 && share < 1) return share;
  throw new FlagError(`--loss: ${quoted(text)} is not a share such as 1% or 0.5%, above 0% and below 100%`);
}

const quoted = (text: string): string => JSON.stringify(text);
