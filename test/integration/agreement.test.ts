/**
 * Broadside beside wrk, ab and h2load on the same server, in turns. How fast each is depends on what else the machine
 * does; what must not is here: that each tool's counts are the server's, that a rate is its count over its time, that
 * all find the same rate where the server sets it, and the same latencies where the server's delays do.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readAb, readWrk } from '../bench/peer-output.ts';
import { spreadOf } from '../bench/turns.ts';
import { startDelayServer } from '../support/delay-server.ts';
import { type Lab, reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { NGINX_MISSING, startNginx, type TurnLog } from '../support/nginx.ts';

const run = promisify(execFile);

function missing(...programs: string[]): string | false {
  const absent = programs.find((program) => spawnSync(program, ['--version']).error !== undefined);
  return absent === undefined ? false : `${absent} is not installed on this machine`;
}

/** What a tool says of its turn. */
interface Stated {
  /** Completed, at least; up to one a connection more may have been under way when time was up. */
  requests: number;
  seconds: number;
  requestRate: number;
  /** Bytes of heads and bodies; wrk rounds them away. */
  received?: number;
  body?: number;
}

const CONNECTIONS = 16;
const SECONDS = 2;
const ROUNDS = 2;

type Tool = (lab: Lab, url: string) => Promise<Stated>;

const TOOLS: Record<'broadside' | 'wrk' | 'ab', Tool> = {
  broadside: async (lab, url) => {
    const result = await lab.run([
      ...[url, '-k', '-c', `${CONNECTIONS}`, '-t', `${SECONDS}`, '--format', 'json'],
    ]);
    const [trial] = reportOf(result).trials;
    assert.equal(result.code, 0, result.stderr);
    const { summary, ledger } = trial!;
    assert.equal(ledger.balanced, true);
    assert.equal(summary.errors.total, 0);
    const { requests, durationUs, requestRate, bytes } = summary;
    return {
      requests,
      seconds: durationUs / 1e6,
      requestRate,
      received: bytes.received,
      body: bytes.body,
    };
  },
  wrk: async (_lab, url) => {
    const { stdout } = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, url]);
    return { ...readWrk(stdout), requestRate: numberIn(stdout, /^Requests\/sec:\s+([\d.]+)/m) };
  },
  ab: async (_lab, url) => {
    // -t means 50,000 requests at most, unless -n comes after it.
    const words = ['-q', '-k', '-c', `${CONNECTIONS}`, '-t', `${SECONDS}`, '-n', '1000000', url];
    const { stdout } = await run('ab', words);
    return {
      ...readAb(stdout),
      requestRate: numberIn(stdout, /^Requests per second:\s+([\d.]+)/m),
      received: numberIn(stdout, /^Total transferred:\s+(\d+) bytes/m),
      body: numberIn(stdout, /^HTML transferred:\s+(\d+) bytes/m),
    };
  },
};

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  assert.ok(found !== undefined, `${pattern} in\n${text}`);
  return Number(found);
}

/** Rates are printed with two decimals, durations with two or three. */
const ROUNDING = 0.01;
/** Between a tool's start of its clock and its first request, or its last and the end; and a pause of the machine. */
const IDLE_S = 0.25;
/** The other way round: nginx's clock is read once a turn of its event loop, and goes in ms. */
const CLOCKS_S = 0.05;

function holdAgainstLog(what: string, stated: Stated, log: TurnLog, { longestUs }: Pauses): void {
  const { requests, seconds, requestRate } = stated;
  assert.ok(
    requests <= log.requests && log.requests <= requests + CONNECTIONS,
    `${what}: states ${requests} requests, nginx logged ${log.requests}`,
  );
  near(`${what}: the rate it states, and its count over its time`, requestRate, requests / seconds, ROUNDING);
  assert.ok(
    seconds - IDLE_S - longestUs / 1e6 <= log.seconds && log.seconds <= seconds + CLOCKS_S,
    `${what}: states ${seconds} s, nginx logged over ${log.seconds} s`,
  );
  // All replies are alike: what a whole one has, all of them have.
  const { received, body } = stated;
  if (received !== undefined) assert.equal(received, (requests * log.bytesSent) / log.requests, what);
  if (body !== undefined) assert.equal(body, (requests * log.bodyBytesSent) / log.requests, what);
}

function near(what: string, value: number, expected: number, share: number): void {
  const percent = (100 * Math.abs(value / expected - 1)).toFixed(2);
  assert.ok(isNear(value, expected, share), `${what}: ${value} and ${expected} are ${percent} % apart`);
}

function isNear(value: number, expected: number, share: number): boolean {
  return Math.abs(value / expected - 1) <= share;
}

const MISSING = NGINX_MISSING || missing('wrk', 'ab');

test('counts, bytes and rates of Broadside, wrk and ab against the access log of nginx', {
  skip: MISSING,
}, async (t) => {
  const nginx = await startNginx(t, { '25.bin': 25 });
  const lab = await startLab(t, ['w1']);
  const rates: Record<string, number[]> = {};
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, tool] of Object.entries(TOOLS)) {
      const query = `${name}-${round}`;
      const pauses = watchPauses();
      const stated = await tool(lab, `${nginx.url}/25.bin?${query}`);
      holdAgainstLog(query, stated, await nginx.logOf(query, stated.requests), pauses());
      rates[name] = [...(rates[name] ?? []), stated.requestRate];
    }
  }
  // How fast each may be is the bench's to say. Here three processes share two cores with whatever else runs, so their
  // medians may lie apart by as much as a tool's own turns do, and half as much again.
  const all = Object.values(rates).map((turns) => spreadOf(turns)!);
  const noise = Math.max(...all.map(({ max, min }) => max / min));
  const [ours, ...peers] = all.map(({ median }) => median);
  const ratios = peers.map((theirs) => ours! / theirs);
  t.diagnostic(`request rate over wrk's and ab's: ${ratios.join(', ')}; noise ${noise}`);
  for (const ratio of ratios)
    assert.ok(Math.max(ratio, 1 / ratio) < 1.5 * noise, `${ratio}, noise ${noise}: ${JSON.stringify(rates)}`);
});

/** A pause of the machine may fall into a turn; what is counted or timed wrong is so in every turn. */
const ATTEMPTS = 4;

/** So low that 16 connections always wait for their turn: a pause of up to 160 ms costs nothing. */
const LIMIT = 100;
/**
 * Of the rate: nginx lets no more than that through, and less when its timers are late, as on a busy machine; and as long
 * as this process was kept from its core meanwhile, so may the others have been.
 */
const MORE = 0.05;
const LESS = 0.15;

test(`where nginx lets ${LIMIT} requests a second through, that is the rate that all three state`, {
  skip: MISSING,
}, async (t) => {
  const nginx = await startNginx(t, { '25.bin': 25 }, { limit: LIMIT });
  const lab = await startLab(t, ['w1']);
  for (const [name, tool] of Object.entries(TOOLS)) {
    const turns: string[] = [];
    let agrees = false;
    while (!agrees && turns.length < ATTEMPTS) {
      const query = `${name}-${turns.length}`;
      const pauses = watchPauses();
      const stated = await tool(lab, `${nginx.url}/25.bin?${query}`);
      const late = pauses();
      const paused = late.longestUs / 1e6 / SECONDS;
      holdAgainstLog(query, stated, await nginx.logOf(query, stated.requests), late);
      const share = stated.requestRate / LIMIT;
      turns.push(`${stated.requestRate} (paused ${(100 * paused).toFixed(1)} % of the time)`);
      agrees = share >= 1 - LESS - paused && share <= 1 + MORE + paused;
    }
    t.diagnostic(`${name}: ${turns.join(', ')} requests/s`);
    assert.ok(agrees, `${name}: ${turns.join(', ')} requests/s where ${LIMIT} come through`);
  }
});

const RATE = 100;
const RATE_CONNECTIONS = 50;
const RATE_SECONDS = 4;
/** Of the quantile; and as late as this process came to one timer in a hundred, so may the others have been. */
const LATENCY_TOLERANCE = 0.05;

test('p50 and p99 at a constant rate are within 5 % of what h2load measures at the same time', {
  skip: missing('h2load'),
}, async (t) => {
  const server = await startDelayServer(t);
  const { url } = server;
  const lab = await startLab(t, ['w1']);
  const directory = await temporaryDirectory(t);
  const found: string[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const pauses = watchPauses();
    const [ours, theirs] = await Promise.all([
      runBroadside(lab, path.join(directory, 'scenario.yaml'), `${url}/broadside-${attempt}`),
      runH2load(path.join(directory, `h2load-${attempt}.tsv`), `${url}/h2load-${attempt}`),
    ]);
    const late = pauses();
    const known = quantiles(server.tookUs(`/broadside-${attempt}`));
    found.push(JSON.stringify({ ours, theirs, known, late }));
    t.diagnostic(`µs: ${found.at(-1)}`);
    const agree = (a: Quantiles, b: Quantiles): boolean =>
      (['p50', 'p99'] as const).every((name) =>
        isNear(a[name], b[name], LATENCY_TOLERANCE + late.p99Us / b[name]),
      );
    if (agree(ours, theirs) && agree(ours, known)) return;
  }
  assert.fail(`µs, in ${ATTEMPTS} attempts:\n${found.join('\n')}`);
});

interface Pauses {
  p99Us: number;
  longestUs: number;
}

/** Watches how late this process comes to a timer. @returns ends that, and tells, µs */
function watchPauses(): () => Pauses {
  const resolution = 5;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  return () => {
    delay.disable();
    const late = (ns: number): number => Math.max(0, ns / 1_000 - resolution * 1_000);
    return { p99Us: late(delay.percentile(99)), longestUs: late(delay.max) };
  };
}

interface Quantiles {
  p50: number;
  p99: number;
}

function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (fraction: number): number => sorted[Math.ceil(fraction * sorted.length) - 1]!;
  return { p50: at(0.5), p99: at(0.99) };
}

/** With a warm-up: h2load has nothing to compile. */
async function runBroadside(lab: Lab, scenario: string, url: string): Promise<Quantiles> {
  const load = { executor: 'constant-arrival-rate', rate: RATE, maxConnections: RATE_CONNECTIONS };
  const { origin, pathname } = new URL(url);
  await writeFile(
    scenario,
    JSON.stringify({
      name: 'agreement',
      targets: { target: origin },
      request: { path: pathname },
      load: { ...load, duration: `${RATE_SECONDS}s` },
      warmup: { duration: '1s' },
    }),
  );
  const result = await lab.run([scenario, '--format', 'json']);
  const [trial] = reportOf(result).trials;
  assert.equal(result.code, 0, result.stderr);
  const { summary, ledger } = trial!;
  assert.equal(ledger.started, RATE * RATE_SECONDS);
  const { p50, p99 } = summary.latency;
  return { p50, p99 };
}

/**
 * Its clients start one after another, so that its requests are spaced as evenly as ours; all at once, they would wait
 * for each other at the target. Its own summary has no percentiles, but its log has every request.
 */
async function runH2load(log: string, url: string): Promise<Quantiles> {
  const rps = RATE / RATE_CONNECTIONS;
  await run('h2load', [
    ...['--h1', '-t1', `-c${RATE_CONNECTIONS}`, `--rps=${rps}`, '-n', `${RATE * RATE_SECONDS}`],
    ...['-r', '1', `--rate-period=${1_000 / RATE}ms`, `--log-file=${log}`, url],
  ]);
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const times = lines.flatMap((line) => {
    const [, status, us] = line.split('\t').map(Number);
    return status === 200 ? [us!] : [];
  });
  assert.equal(times.length, RATE * RATE_SECONDS);
  return quantiles(times);
}
