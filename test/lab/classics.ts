/**
 * `npm run lab -- classics`: the classic experiments in a lab of three workers on 100 Mbit/s, against real httpd and
 * Tomcat, each to a page of docs/results.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CLASSIC } from '../support/classic-servers.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { reportOf } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';
import { aimWords } from './aim.ts';
import { CLASSIC_RUNS, type ClassicRun } from './classic-runs.ts';
import { CtrlC } from './ctrl-c.ts';
import { type NetworkLab, startNetworkLab } from './lab.ts';
import { checkMachine, say } from './machine.ts';
import { FlagError } from './options.ts';
import { resultsPage } from './results-page.ts';
import { observeTarget, type StartedTarget, startTarget } from './targets.ts';

const WORKERS = 3;
const RATE = '100mbit';

export const CLASSICS_HELP = `npm run lab -- classics [options]
  --only <names>   of ${CLASSIC_RUNS.map(({ name }) => name).join(', ')}
  --out <dir>      where the pages go (default: docs/results)
  --brief          tiny durations, to see whether all works; needs --out, for its numbers mean nothing
`;

export async function classics(args: readonly string[]): Promise<number> {
  const { help, only, out, brief } = read(args);
  if (help) {
    process.stdout.write(CLASSICS_HELP);
    return 0;
  }
  const runs = chosen(only);
  checkMachine('classic');
  mkdirSync(out, { recursive: true });
  const scope = new Scope();
  const ctrlC = new CtrlC();
  try {
    return await Promise.race([ctrlC.alone, measureAll(scope, runs, out, brief)]);
  } finally {
    say('taking the lab down');
    await scope.close();
  }
}

function read(args: readonly string[]): { help: boolean; only?: string; out: string; brief: boolean } {
  const { values } = (() => {
    try {
      return parseArgs({
        args: [...args],
        options: {
          only: { type: 'string' },
          out: { type: 'string' },
          brief: { type: 'boolean', default: false },
          help: { type: 'boolean', short: 'h', default: false },
        },
      });
    } catch (error) {
      throw new FlagError((error as Error).message);
    }
  })();
  const { help, only, out, brief } = values;
  if (brief && out === undefined) throw new FlagError('--brief: say where its pages go, with --out');
  return { help, brief, out: out ?? path.join(ROOT, 'docs', 'results'), ...(only !== undefined && { only }) };
}

function chosen(only: string | undefined): ClassicRun[] {
  if (only === undefined) return [...CLASSIC_RUNS];
  return only.split(',').map((name) => {
    const run = CLASSIC_RUNS.find((one) => one.name === name.trim());
    if (run !== undefined) return run;
    throw new FlagError(`--only: ${name} is none of ${CLASSIC_RUNS.map((one) => one.name).join(', ')}`);
  });
}

async function measureAll(
  scope: Scope,
  runs: readonly ClassicRun[],
  out: string,
  brief: boolean,
): Promise<number> {
  say(`a lab of ${WORKERS} workers, ${RATE} each, and httpd and Tomcat on the target`);
  const lab = await startNetworkLab(scope, { workers: WORKERS, bitsPerSecond: 100e6 });
  const target = await startTarget(scope, lab, 'classic');
  await observeTarget(lab, target);
  for (const run of runs) {
    const startedMs = performance.now();
    say(`${run.name} …`);
    await measure(lab, target, run, out, brief);
    say(`${run.name}: ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  }
  return 0;
}

async function measure(
  lab: NetworkLab,
  target: StartedTarget,
  run: ClassicRun,
  out: string,
  brief: boolean,
): Promise<void> {
  const file = path.join(CLASSIC, run.scenario);
  const place = {
    url: target.url,
    address: lab.host('target').address!,
    directory: target.directories.target!,
  };
  const set = (brief ? run.brief : run.settings).flatMap((setting) => ['--set', setting]);
  const words = [file, ...aimWords(file, place), ...set, '--workers', String(WORKERS)];
  const result = await lab.run([...words, '--format', 'json']);
  const report = reportOf(result);
  if (report.trials.every(({ state }) => state !== 'completed')) throw new Error(result.stderr);
  const reported = ['report', report.run.id, '--data', lab.data, '--format', 'md'];
  const { code, stdout, stderr } = await runCli('coordinator', reported);
  if (code === 1 || code === 2) throw new Error(stderr);
  const page = path.join(out, `${run.name}.md`);
  const command = [
    'npm run lab -- --target classic',
    `--workers ${WORKERS} --rate ${RATE}`,
    `--scenario scenarios/classic/${run.scenario} -- ${set.join(' ')}`,
  ].join(' \\\n  ');
  const hosts = `hosts coordinator, ${WORKERS} workers and target as network namespaces on a switch, ${RATE} each after framing`;
  writeFileSync(
    page,
    resultsPage({ title: run.title, report, markdown: stdout, command, lab: hosts }, textOf(page)),
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
