/** The flags of `npm run bench`. */
import { parseArgs } from 'node:util';
import { formatSize, parseSize } from '../../shared/domain/units.ts';
import { PEER_NAMES } from './peers.ts';

/** One body size on one number of connections. */
export interface BenchCase {
  bodyBytes: number;
  connections: number;
  /** Over TLS. */
  secure?: boolean;
  peers: readonly string[];
}

export interface BenchOptions {
  cases: BenchCase[];
  /** Of each turn, whole seconds. */
  seconds: number;
  rounds: number;
  /** Exit with 1 when a target is missed. */
  assert: boolean;
  /** Only what the outputs of k6 cost it. */
  k6?: true;
}

export const HELP = `npm run bench -- [options]
  --full               bodies of 25 B, 4 KiB, 32 KiB and 1 MiB on 1, 16, 100 and 900 connections, every peer (about 40 min)
  --bodies <sizes>     such as 25B,4KiB
  --connections <n,…>  such as 1,16
  --tls                all of it over TLS
  --peers <names>      of ${PEER_NAMES.join(',')}
  --seconds <n>        length of a turn (default: 4)
  --rounds <n>         turns of each peer (default: 3)
  --assert             exit with 1 when a target is missed
  --k6                 instead of all that: what its outputs cost k6 (K6_BIN, or k6 in the PATH), CPU a request
Without --full, --bodies or --connections: 25 B on 16 connections against wrk, ab, autocannon and hey, 1 MiB on
16 connections against wrk, and 25 B over TLS against wrk and autocannon. Always: memory, starts, and CPU on two load
threads against one. About 4 minutes.
`;

/** Against the peers that the targets are about; the others are there with --full or --peers. */
const SMALL_CASE: BenchCase = {
  bodyBytes: 25,
  connections: 16,
  peers: ['wrk', 'ab', 'autocannon', 'hey'],
};
const LARGE_CASE: BenchCase = { bodyBytes: 1024 ** 2, connections: 16, peers: ['wrk'] };
const SECURE_CASE: BenchCase = {
  bodyBytes: 25,
  connections: 16,
  secure: true,
  peers: ['wrk', 'autocannon'],
};
const FULL_BODIES = '25B,4KiB,32KiB,1MiB';
const FULL_CONNECTIONS = '1,16,100,900';

/** What was wrong with a flag; the message is for the person who gave it. */
export class FlagError extends Error {}

/** @returns `help` when that was asked for. @throws FlagError */
export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const flags = parse(args);
  if (flags.help) return 'help';
  const peers = flags.peers === undefined ? undefined : list(flags.peers, '--peers', peerName);
  return {
    cases: casesOf(flags.bodies, flags.connections, peers, flags.full, flags.tls),
    seconds: positive(flags.seconds, '--seconds'),
    rounds: positive(flags.rounds, '--rounds'),
    assert: flags.assert,
    ...(flags.k6 && { k6: true as const }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        full: { type: 'boolean', default: false },
        bodies: { type: 'string' },
        connections: { type: 'string' },
        peers: { type: 'string' },
        k6: { type: 'boolean', default: false },
        seconds: { type: 'string', default: '4' },
        rounds: { type: 'string', default: '3' },
        tls: { type: 'boolean', default: false },
        assert: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new FlagError((error as Error).message);
  }
}

function casesOf(
  bodies: string | undefined,
  connections: string | undefined,
  peers: readonly string[] | undefined,
  full: boolean,
  tls: boolean,
): BenchCase[] {
  if (!full && bodies === undefined && connections === undefined)
    return (tls ? [SECURE_CASE] : [SMALL_CASE, LARGE_CASE, SECURE_CASE]).map((one) => ({
      ...one,
      peers: peers ?? one.peers,
    }));
  const sizes = list(bodies ?? (full ? FULL_BODIES : '25B'), '--bodies', size);
  const numbers = list(connections ?? (full ? FULL_CONNECTIONS : '16'), '--connections', positive);
  return sizes.flatMap((bodyBytes) =>
    numbers.map((number) => ({
      bodyBytes,
      connections: number,
      ...(tls && { secure: true }),
      peers: peers ?? PEER_NAMES,
    })),
  );
}

function list<T>(text: string, flag: string, read: (item: string, flag: string) => T): T[] {
  return text.split(',').map((item) => read(item.trim(), flag));
}

function positive(text: string, flag: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new FlagError(`${flag}: ${JSON.stringify(text)} is not a positive whole number`);
  return value;
}

function size(text: string, flag: string): number {
  const bytes = parseSize(text);
  if (bytes === undefined)
    throw new FlagError(`${flag}: ${JSON.stringify(text)} is not a size such as 25B or 4KiB`);
  return bytes;
}

function peerName(text: string, flag: string): string {
  if (!PEER_NAMES.includes(text))
    throw new FlagError(`${flag}: ${JSON.stringify(text)} is none of ${PEER_NAMES.join(', ')}`);
  return text;
}

/** Name of a case, for people. */
export function caseName({ bodyBytes, connections, secure }: Omit<BenchCase, 'peers'>): string {
  const kind = secure ? 'TLS connection' : 'connection';
  return `${sizeName(bodyBytes)} on ${connections} ${kind}${connections === 1 ? '' : 's'}`;
}

/** `25 B`, `4 KiB`. */
function sizeName(bytes: number): string {
  return formatSize(bytes).replace(/\.0+(?= )/, '');
}
