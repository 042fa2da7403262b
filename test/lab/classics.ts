/**
 * `npm run lab -- classics`: the classic experiments in a lab of three workers on 100 Mbit/s, against real httpd and
 * Tomcat, each to a page of docs/results.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Report } from '../../coordinator/report/schema.ts';
import { CLASSIC } from '../support/classic-servers.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { reportOf } from '../support/lab.ts';
import { readCores } from '../support/pinning.ts';
import { Scope } from '../support/scope.ts';
import { aimWords } from './aim.ts';
import { CLASSIC_RUNS, type ClassicRun, WARMING } from './classic-runs.ts';
import { CtrlC } from './ctrl-c.ts';
import { type NetworkLab, startNetworkLab } from './lab.ts';
import { checkMachine, quoted, say } from './machine.ts';
import { FlagError } from './options.ts';
import { resultsPage } from './results-page.ts';
import { observeTarget, type StartedTarget, startTarget } from './targets.ts';

const WORKERS = 3;
const RATE = '100mbit';
/** What cpus.sh gives the servers; the lab's other processes are put on the next core. */
const SERVER_CORES = 1;
const CPUS_SH = path.join(CLASSIC, 'setup', 'cpus.sh');

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
  const apart = keepToOneCore();
  say(`a lab of ${WORKERS} workers, ${RATE} each, and httpd and Tomcat on the target`);
  const lab = await startNetworkLab(scope, { workers: WORKERS, bitsPerSecond: 100e6 });
  const target = await startTarget(scope, lab, 'classic');
  if (apart) execFileSync('sh', [CPUS_SH, target.directories.target!, String(SERVER_CORES)]);
  await observeTarget(lab, target);
  say('warming the servers …');
  for (const { scenario, ...warming } of WARMING) {
    try {
      await runIt(lab, target, scenario, brief ? warming.brief : warming.settings);
    } catch (error) {
      // A page that takes longer than this to be compiled is compiled all the same.
      say(`warming by ${scenario}: ${(error as Error).message}`);
    }
  }
  const begunMs = performance.now();
  const failed: string[] = [];
  for (const run of runs) {
    const startedMs = performance.now();
    say(`${run.name} …`);
    try {
      await measure(lab, target, run, { out, brief, apart });
      say(`${run.name}: ${seconds(startedMs)} s`);
    } catch (error) {
      // The others are worth having all the same.
      failed.push(run.name);
      say(`${run.name} failed: ${(error as Error).message}`);
    }
  }
  say(`all: ${seconds(begunMs)} s${failed.length === 0 ? '' : `, without ${failed.join(', ')}`}`);
  return failed.length === 0 ? 0 : 3;
}

const seconds = (sinceMs: number): number => Math.round((performance.now() - sinceMs) / 1_000);

/**
 * Keeps this process, and all that it starts from here on, to a core that is not the servers', as on machines of their
 * own. @returns false where there is no second one
 */
function keepToOneCore(): boolean {
  const cores = readCores();
  if (typeof cores === 'string') return false;
  execFileSync('taskset', ['-acp', String(cores.server), String(process.pid)]);
  return true;
}

async function runIt(
  lab: NetworkLab,
  { url, directories }: StartedTarget,
  scenario: string,
  settings: readonly string[],
): Promise<Report> {
  const file = path.join(CLASSIC, scenario);
  const place = { url, address: lab.host('target').address!, directory: directories.target! };
  const set = settings.flatMap((setting) => ['--set', setting]);
  const words = [file, ...aimWords(file, place), ...set, '--workers', String(WORKERS)];
  const result = await lab.run([...words, '--format', 'json']);
  const report = reportOf(result);
  if (report.trials.every(({ state }) => state !== 'completed')) throw new Error(result.stderr);
  return report;
}

async function measure(
  lab: NetworkLab,
  target: StartedTarget,
  { name, title, scenario, ...run }: ClassicRun,
  { out, brief, apart }: { out: string; brief: boolean; apart: boolean },
): Promise<void> {
  const settings = brief ? run.brief : run.settings;
  const report = await runIt(lab, target, scenario, settings);
  const reported = ['report', report.run.id, '--data', lab.data, '--format', 'md'];
  const { code, stdout, stderr } = await runCli('coordinator', reported);
  if (code === 1 || code === 2) throw new Error(stderr);
  const page = path.join(out, `${name}.md`);
  const set = settings.map((setting) => `--set ${quoted(setting)}`).join(' ');
  const facts = {
    title,
    report,
    markdown: stdout,
    commands: [
      `npm run lab -- classics --only ${name}${brief ? ' --brief --out DIR' : ''}`,
      `npm run lab -- --target classic --workers ${WORKERS} --rate ${RATE} --scenario scenarios/classic/${scenario} -- \\\n  ${set}`,
    ],
    lab: `coordinator, ${WORKERS} workers and the target as network namespaces on a switch, every link ${RATE.replace('mbit', ' Mbit/s')} with all framing${apart ? '; the servers on one core, everything else on another' : ''}`,
    processes: target.processes.map(({ pid, server }) => ({ pid, name: server })),
  };
  writeFileSync(page, resultsPage(facts, textOf(page)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
