/**
 * `npm run bench`: Broadside and the peers found on this machine, side by side, against nginx. The load and nginx
 * have a core each. Results on stdout and in bench-results/; progress on stderr.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../support/cli.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { NGINX_MISSING, startNginx } from '../support/nginx.ts';
import { readCores } from '../support/pinning.ts';
import { Scope } from '../support/scope.ts';
import { startBroadside } from './broadside.ts';
import { requestRate } from './contender.ts';
import { embeddedStarts, workerMemory } from './footprint.ts';
import { benchK6 } from './k6.ts';
import { readMachine, watchOthers } from './machine.ts';
import { type BenchCase, type BenchOptions, caseName, FlagError, HELP, readOptions } from './options.ts';
import { findPeers } from './peers.ts';
import { type BenchResults, caseResult } from './results.ts';
import { formatResults } from './tables.ts';
import { targetsOf } from './targets.ts';
import { measureThreads, THREADS_BODY } from './threads.ts';
import { takeTurns } from './turns.ts';

const MANY_CONNECTIONS = 1_000;
const EMBEDDED_STARTS = 5;

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (NGINX_MISSING !== false) throw new Error(`${NGINX_MISSING}; install it with the system's packages`);
  const scope = new Scope();
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
  });
  try {
    return await Promise.race([interrupted, options.k6 ? benchK6(options.rounds) : bench(scope, options)]);
  } finally {
    await scope.close();
  }
}

async function bench(scope: Scope, options: BenchOptions): Promise<number> {
  const machine = readMachine();
  const othersCores = watchOthers();
  const cores = readCores();
  const pinning =
    typeof cores === 'string'
      ? `nothing pinned to a core: ${cores}`
      : `nginx on core ${cores.server}; every contender, all of its processes, on core ${cores.client}`;
  say(pinning);
  const { client, server } = typeof cores === 'string' ? {} : cores;
  const sizes = [...new Set([25, THREADS_BODY, ...options.cases.map(({ bodyBytes }) => bodyBytes)])];
  const bodies = Object.fromEntries(sizes.map((size) => [`${size}.bin`, size]));
  const onItsCore = { unlogged: true, ...(server === undefined ? {} : { core: server }) };
  const plain = await startNginx(scope, bodies, onItsCore);
  const secure = await startNginx(scope, bodies, { ...onItsCore, secure: true });
  const urlOf = (one: Pick<BenchCase, 'bodyBytes' | 'secure'>): string =>
    `${(one.secure ? secure : plain).url}/${one.bodyBytes}.bin`;
  const footprint = await measureFootprint(scope, client, urlOf({ bodyBytes: 25 }), options.seconds);
  const cases = await measureCases(scope, options, client, urlOf);
  const { seconds, rounds } = options;
  const url = urlOf({ bodyBytes: THREADS_BODY });
  const body = Buffer.from(await (await fetch(url)).arrayBuffer());
  const threads = await measureThreads(scope, client, { url, body, seconds, rounds }, say);
  const targets = targetsOf({ cases, footprint, threads });
  const measuredAt = new Date().toISOString();
  const others = othersCores();
  await write({
    ...{ measuredAt, machine, pinning, ...(others === undefined ? {} : { othersCores: others }) },
    ...{ seconds, rounds, cases, footprint, threads, targets },
  });
  const missed = targets.filter(({ met }) => met === false);
  if (!options.assert || missed.length === 0) return 0;
  say(`missed: ${missed.map(({ what }) => what).join('; ')}`);
  return 1;
}

async function measureFootprint(
  scope: Scope,
  core: number | undefined,
  url: string,
  seconds: number,
): Promise<BenchResults['footprint']> {
  const embeddedStartMs = await embeddedStarts(scope, url, EMBEDDED_STARTS);
  const residentBytes = await workerMemory(scope, core, url, MANY_CONNECTIONS, seconds);
  return {
    connections: MANY_CONNECTIONS,
    ...(residentBytes === undefined ? {} : { residentBytes }),
    embeddedStartMs,
  };
}

async function measureCases(
  scope: Scope,
  { cases, seconds, rounds }: BenchOptions,
  core: number | undefined,
  urlOf: (one: BenchCase) => string,
): Promise<BenchResults['cases']> {
  const ending = new AbortController();
  const directory = await temporaryDirectory(scope);
  const broadside = await startBroadside(scope, core);
  scope.after(() => ending.abort());
  const results: BenchResults['cases'] = [];
  for (const one of cases) {
    const load = { url: urlOf(one), ...one, seconds };
    const peers = findPeers(one.peers, { core, directory, signal: ending.signal });
    const turns = await takeTurns(broadside, peers, rounds, async (contender, round) => {
      const measured = await contender.run(load);
      const rate = Math.round(requestRate(measured));
      say(`${caseName(one)}, round ${round} of ${rounds}: ${contender.name} ${rate} requests/s`);
      return measured;
    });
    results.push(caseResult(one, broadside, turns));
  }
  return results;
}

async function write(results: BenchResults): Promise<void> {
  const text = formatResults(results);
  const directory = path.join(ROOT, 'bench-results');
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'latest.json'), `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(path.join(directory, 'latest.md'), text);
  process.stdout.write(text);
}

function say(text: string): void {
  process.stderr.write(`» ${text}\n`);
}

try {
  // Not only the exit code: what an interruption has cut off may still wait for something.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof FlagError ? 2 : 1;
}
