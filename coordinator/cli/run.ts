/** `coordinator run`: a scenario file, or a URL with ab's letters; on a running coordinator or in an embedded lab. */
import { Command } from 'commander';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { BroadsideError, messageOf } from '../../shared/errors.ts';
import { ExitCode } from '../../shared/exit-codes.ts';
import type { EmbeddedLab } from '../embedded-lab.ts';
import type { Report } from '../report/schema.ts';
import { collect, dataOption, parseCount, parseUrl, parseWait, tokenFrom, tokenOption } from './options.ts';
import { checkOut, writeReport } from './report.ts';

interface RunFlags {
  n?: string;
  c?: string;
  t?: string;
  k?: boolean;
  H?: string[];
  m?: string;
  p?: string;
  T?: string;
  A?: string;
  s?: string;
  rate?: string;
  workers?: number;
  wait?: string;
  coordinator?: URL;
  token?: string;
  data?: string;
  redis?: string;
  allow: string[];
  set: string[];
  format: string;
  out?: string;
  strict?: boolean;
  quiet?: boolean;
}

export function runCommand(): Command {
  return new Command('run')
    .description('run a scenario file, or load one URL with the letters of ab')
    .argument('<scenario.yaml|url>', 'a scenario, or the URL to load')
    .option('-n <requests>', 'requests in all (default: 1)')
    .option('-c <connections>', 'connections, over all workers (default: 1)')
    .option('-t <seconds>', 'time limit; without -n the load lasts this long')
    .option('-k', 'keep connections alive')
    .option(
      '-H <header>',
      "a header line, 'Name: value'; repeatable",
      (value: string, before: string[] = []) => collect(value, before),
    )
    .option('-m <method>', 'HTTP method')
    .option('-p <file>', 'file to send as the body (POST)')
    .option('-T <type>', "content type of -p's body (default: text/plain)")
    .option('-A <user:password>', 'basic authentication')
    .option('-s <seconds>', 'how long to wait for a reply (default: 30)')
    .option('--rate <requests/s>', 'open loop: arrivals a second, with -t; -c is then the most connections')
    .option(
      '--workers <n>',
      'workers to use; without --coordinator, worker processes to start (default: 1)',
      parseCount,
    )
    .option(
      '--set <key=value>',
      'change a value of the scenario, such as load.duration=5s; repeatable',
      collect,
      [],
    )
    .option('--coordinator <url>', 'run there, rather than in a lab of its own on this machine', parseUrl)
    .addOption(tokenOption())
    .addOption(dataOption())
    .option('--redis <url>', 'for the lab of its own: a running Redis (default: an own redis-server)')
    .option(
      '--allow <cidr|host>',
      'for the lab of its own: a target outside of private addresses; repeatable',
      collect,
      [],
    )
    .option('--wait <duration>', 'how long to wait for workers, such as 10s', parseWait)
    .option('--format <format>', 'text, ab or json', 'text')
    .option('--out <file>', 'write the report there instead of stdout')
    .option('--strict', 'exit with 4 when the generator was the limit')
    .option('-q, --quiet', 'no progress on stderr')
    .action(run);
}

async function run(what: string, flags: RunFlags): Promise<void> {
  // Everything that can be wrong with the input is found before anything is started.
  const { formatterFor } = await import('../report/formats.ts');
  formatterFor(flags.format);
  await checkOut(flags.out);
  if (flags.coordinator !== undefined) refuseLabFlags(flags);
  const scenario = await loadScenario(what, flags);
  if (flags.allow.length > 0) {
    const { createAllowList } = await import('../../shared/domain/allow-list.ts');
    createAllowList(flags.allow);
  }
  const { ProgressDisplay } = await import('./progress-display.ts');
  const interruption = new Interruption();
  const display = new ProgressDisplay();
  let lab: EmbeddedLab | undefined;
  try {
    if (flags.coordinator === undefined) lab = await openLab(scenario, flags);
    const { CoordinatorClient } = await import('../client.ts');
    const client = new CoordinatorClient(
      lab?.url ?? flags.coordinator!,
      lab?.token ?? tokenFrom(flags.token),
    );
    const { id } = await client.submit(scenario.source);
    interruption.onFirst(() => {
      display.say('interrupted: stopping the load (once more to leave at once)');
      client.cancel(id).catch((error) => display.say(messageOf(error)));
    });
    await client.watch(id, (event) => {
      if (flags.quiet !== true) display.show(event);
    });
    display.end();
    const status = await client.run(id);
    if (status.startedUs === undefined) {
      process.exitCode = interruption.happened ? ExitCode.interrupted : ExitCode.runFailed;
      return;
    }
    const report = await client.report(id);
    await finish(report, status.reason, flags, interruption.happened);
  } finally {
    display.end();
    await lab?.close();
  }
}

async function finish(
  report: Report,
  reason: string | undefined,
  flags: RunFlags,
  interrupted: boolean,
): Promise<void> {
  const { exitCodeOfReport } = await import('../report/exit-code.ts');
  const measured = report.trials.length > 0;
  if (measured) await writeReport(report, flags);
  // Otherwise the progress display has said it.
  if (!measured && reason !== undefined && flags.quiet === true) {
    process.stderr.write(`coordinator: the run failed: ${reason}\n`);
  }
  process.exitCode = interrupted
    ? ExitCode.interrupted
    : exitCodeOfReport(report, { strict: flags.strict === true });
}

const isUrl = (what: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(what);

async function loadScenario(what: string, flags: RunFlags): Promise<Scenario> {
  return isUrl(what) ? scenarioOfUrl(what, flags) : scenarioOfFile(what, flags);
}

async function scenarioOfUrl(url: string, flags: RunFlags): Promise<Scenario> {
  const { scenarioFromFlags } = await import('../../shared/domain/scenario-from-flags.ts');
  const { workers, wait, set, ...letters } = flags;
  if (set.length > 0) {
    throw new BroadsideError('USAGE', '--set: changes a scenario file; a URL is loaded as its own flags say');
  }
  const scenario = scenarioFromFlags({
    url,
    ...letters,
    ...(workers === undefined ? {} : { workers: String(workers) }),
  });
  if (wait === undefined) return scenario;
  const { validateScenario } = await import('../../shared/domain/validate-scenario.ts');
  const { source } = scenario;
  return validateScenario({ ...source, workers: { ...(source.workers as object), wait } }, 'command line');
}

/** Where a scenario file says what a letter says for a URL. */
const KEYS = {
  n: 'load.requests',
  c: 'load.connections',
  t: 'load.duration',
  k: 'load.keepAlive',
  H: 'request.headers',
  m: 'request.method',
  p: 'request.bodyFile',
  T: 'request.headers',
  A: 'request.headers',
  s: 'request.timeout',
  rate: 'load.rate',
} as const;

async function scenarioOfFile(file: string, flags: RunFlags): Promise<Scenario> {
  const { readScenario } = await import('../../shared/domain/scenario-source.ts');
  for (const [letter, key] of Object.entries(KEYS)) {
    if (flags[letter as keyof typeof KEYS] === undefined) continue;
    const flag = letter.length === 1 ? `-${letter}` : `--${letter}`;
    throw new BroadsideError('USAGE', `${flag}: goes with a URL; a scenario file says it with ${key}`, {
      hint: `to change it for this run: --set ${key}=VALUE`,
    });
  }
  const workers = flags.workers === undefined ? [] : [`workers.count=${flags.workers}`];
  const wait = flags.wait === undefined ? [] : [`workers.wait=${flags.wait}`];
  try {
    return readScenario(file, { set: [...flags.set, ...workers, ...wait] });
  } catch (error) {
    // `10.0.0.5:8080/x` is what a person means by a URL.
    if (
      !(
        error instanceof BroadsideError &&
        error.code === 'FILE_UNREADABLE' &&
        /^[\w.-]+(:\d+|\.\w+)(\/|$)/.test(file)
      )
    )
      throw error;
    throw new BroadsideError(error.code, error.message, {
      hint: `a URL begins with its scheme: http://${file}`,
    });
  }
}

function refuseLabFlags({ data, redis, allow }: RunFlags): void {
  const given = { '--data': data, '--redis': redis, '--allow': allow[0] };
  for (const [flag, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new BroadsideError('USAGE', `${flag}: is for a lab of its own, and --coordinator names another`, {
      hint: `give ${flag} to that coordinator or its workers, and leave it out here`,
    });
  }
}

async function openLab(scenario: Scenario, flags: RunFlags): Promise<EmbeddedLab> {
  const { DataDirectory } = await import('../data-directory.ts');
  const { createLogger } = await import('../../shared/logger.ts');
  const { startEmbeddedLab } = await import('../embedded-lab.ts');
  return startEmbeddedLab({
    data: await DataDirectory.open(flags.data ?? DataDirectory.defaultRoot()),
    workers: scenario.workers.count ?? 1,
    pool: scenario.workers.pool,
    redisUrl: flags.redis ?? process.env.REDIS_URL,
    allow: flags.allow,
    log: await createLogger('lab', 'warn'),
  });
}

/** The first Ctrl-C (or SIGTERM) stops the load and still reports; the second leaves at once. */
class Interruption {
  happened = false;
  private first: (() => void) | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (this.happened || this.first === undefined) process.exit(ExitCode.interrupted);
        this.happened = true;
        this.first();
      });
    }
  }

  onFirst(first: () => void): void {
    this.first = first;
  }
}
