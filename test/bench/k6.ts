/**
 * `npm run bench -- --k6`: what k6's outputs cost k6 itself, CPU a request, against `k6 run --quiet --summary-mode=disabled`
 * alone. Turns alternate, each candidate between two runs alone; every run begins with VUs that are there, so that only the
 * load is measured. Needs K6_BIN or k6 in the PATH, and nginx.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '../../shared/clock.ts';
import { findK6 } from '../../shared/k6-binary.ts';
import { noSummaryFlags } from '../../shared/k6-version.ts';
import { freePort } from '../../worker/engine/k6/free-port.ts';
import { type K6Command, runCommand } from '../../worker/engine/k6/k6-command.ts';
import { ProcessGroup } from '../../worker/engine/k6/process-group.ts';
import { cpuUsOf } from '../../worker/engine/k6/process-usage.ts';
import { RestClient } from '../../worker/engine/k6/rest-client.ts';
import { SampleReader } from '../../worker/engine/k6/sample-reader.ts';
import { ROOT } from '../support/cli.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { startNginx } from '../support/nginx.ts';
import { Scope } from '../support/scope.ts';
import { readMachine } from './machine.ts';

const RATE = 2_000;
const SECONDS = 5;
const READY_WITHIN_MS = 30_000;

const SCRIPT = `
import http from 'k6/http';
import { check } from 'k6';
export const options = { scenarios: { main: {
  executor: 'constant-arrival-rate', rate: ${RATE}, timeUnit: '1s', duration: '${SECONDS}s', preAllocatedVUs: 100,
} }, thresholds: { http_req_duration: ['p(95)<60000'] } };
export default function () {
  check(http.get(__ENV.TARGET_URL), { 'status is 200': (r) => r.status === 200 });
}
`;

const OTLP = {
  OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: 'base2_exponential_bucket_histogram',
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
  K6_OTEL_EXPORTER_PROTOCOL: 'http/protobuf',
  K6_OTEL_HTTP_EXPORTER_INSECURE: 'true',
  K6_OTEL_EXPORT_INTERVAL: '1s',
};

interface Run {
  requests: number;
  /** Of k6, µs. */
  k6CpuUs: number;
  /** Of reading, with all that this process did meanwhile, µs; only where samples are read. */
  readerCpuUs?: number;
  lagUs?: number;
}

interface Candidate {
  name: string;
  command(alone: K6Command, port: number): K6Command;
  reads?: boolean;
}

export async function benchK6(rounds: number): Promise<number> {
  const binary = await findK6({ warn: say });
  if (binary === undefined) throw new Error('there is no k6 binary: name one with K6_BIN');
  const scope = new Scope();
  try {
    const nginx = await startNginx(scope, { '25.bin': 25 }, { unlogged: true });
    const folder = await temporaryDirectory(scope);
    const script = path.join(folder, 'load.js');
    await writeFile(script, SCRIPT);
    const env = { TARGET_URL: `${nginx.url}/25.bin` };
    const plan = {
      ...{ script: 'load.js', package: { sha256: '', bytes: 0, kind: 'bundle' as const } },
      ...{ env, tags: {}, submetrics: [], requires: {}, output: 'exact' as const },
    };
    const call = { binary, plan, script, folder, shard: { index: 0, count: 1 } };
    const ours = (port: number): K6Command => runCommand(call, [], port);
    const alone = (port: number): K6Command => {
      const { file, env: environment, cwd } = ours(port);
      const { K6_THRESHOLDS: _none, ...kept } = environment;
      const flags = ['--quiet', '--paused', '--linger', ...noSummaryFlags(binary.version)];
      return { file, args: ['run', ...flags, '--address', `127.0.0.1:${port}`, script], env: kept, cwd };
    };
    const out = (output: string, more: NodeJS.ProcessEnv = {}): Candidate => ({
      name: `--out ${output}`,
      command: (command) => ({
        ...command,
        args: [...command.args, '--out', output],
        env: { ...command.env, ...more },
      }),
    });
    const candidates: Candidate[] = [
      { name: 'exact (csv with few tags, read here)', command: (_, port) => ours(port), reads: true },
      out('csv=-'),
      out('json=-'),
      out('opentelemetry', { ...OTLP, K6_OTEL_HTTP_EXPORTER_ENDPOINT: new URL(nginx.url).host }),
    ];
    const runs = new Map<string, { run: Run; ratio: number }[]>();
    let before = await measure(alone, false);
    for (let round = 1; round <= rounds; round++) {
      for (const { name, command, reads = false } of candidates) {
        const run = await measure((port) => command(alone(port), port), reads);
        const after = await measure(alone, false);
        const ratio = perRequest(run) / ((perRequest(before) + perRequest(after)) / 2);
        say(
          `round ${round} of ${rounds}: ${name}: ${perRequest(run).toFixed(1)} µs a request, ${percent(ratio)}`,
        );
        runs.set(name, [...(runs.get(name) ?? []), { run, ratio }]);
        before = after;
      }
    }
    await write(binary.version, runs);
    return 0;
  } finally {
    await scope.close();
  }
}

async function measure(commandFor: (port: number) => K6Command, reads: boolean): Promise<Run> {
  const port = await freePort();
  const { file, args, env, cwd } = commandFor(port);
  const group = new ProcessGroup(file, args, env, cwd);
  const rest = new RestClient(port);
  const reader = new SampleReader({
    ...{ clock, submetrics: [], severalScenarios: false, onInterval: () => {} },
    kinds: async () => (await rest.metrics()).map((metric) => [metric.name, metric]),
  });
  group.stderr.resume();
  group.stdout.on('data', (chunk: Buffer) => {
    if (reads) reader.push(chunk);
  });
  try {
    const until = Date.now() + READY_WITHIN_MS;
    while (!(await rest.status().catch(() => undefined))?.ready) {
      if (Date.now() > until || group.exit !== undefined) throw new Error(`${file} did not become ready`);
      await sleep(50);
    }
    reader.begin(clock.now());
    const k6Before = cpuUsOf(group.pid!)!;
    const ownBefore = process.cpuUsage();
    await rest.start();
    while (!(await rest.status()).ended) await sleep(100);
    // Its last samples are still to be written.
    await sleep(1_200);
    const k6CpuUs = cpuUsOf(group.pid!)! - k6Before;
    const { user, system } = process.cpuUsage(ownBefore);
    const counted = (await rest.metrics()).find(({ name }) => name === 'http_reqs')?.values.count ?? 0;
    return { requests: counted, k6CpuUs, ...(reads && { readerCpuUs: user + system, lagUs: reader.lagUs }) };
  } finally {
    group.kill();
    rest.close();
    await group.exited;
  }
}

const perRequest = ({ k6CpuUs, requests }: Run): number => k6CpuUs / requests;
const percent = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(0)} %`;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function write(version: string, runs: Map<string, { run: Run; ratio: number }[]>): Promise<void> {
  const rows = [...runs].map(([name, all]) => {
    const ratios = all.map(({ ratio }) => ratio);
    const range = `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`;
    const reading = all.flatMap(({ run: { readerCpuUs } }) =>
      readerCpuUs === undefined ? [] : readerCpuUs / (SECONDS * 1e6),
    );
    const cores = reading.length === 0 ? '' : median(reading).toFixed(2);
    const cpu = median(all.map(({ run }) => perRequest(run))).toFixed(1);
    return `| ${name} | ${cpu} | ${percent(median(ratios))} | ${range} | ${cores} |`;
  });
  const { cores, cpu } = readMachine();
  const text = [
    `k6 ${version}, ${RATE} requests/s for ${SECONDS} s, ${new Date().toISOString()}, ${cores} cores, ${cpu}`,
    '',
    '| output | k6, µs of CPU a request | against alone, median | range | cores that reading it took |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  const directory = path.join(ROOT, 'bench-results');
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'k6.md'), text);
  process.stdout.write(text);
}

function say(text: string): void {
  process.stderr.write(`» ${text}\n`);
}
