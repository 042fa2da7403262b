/** What to run: a scenario file with `--set`, or a URL with ab's letters; the same for every command that takes one. */
import type { Command } from 'commander';
import type { Scenario } from '../../shared/domain/scenario.ts';
import type { AbFlags } from '../../shared/domain/scenario-from-flags.ts';
import type { ScriptFlags } from '../../shared/domain/scenario-from-script.ts';
import { BroadsideError } from '../../shared/errors.ts';
import { collect, parseCount, parseWait } from './options.ts';

/** Of a scenario file, a URL or a script, whichever is given. */
export interface ScenarioFlags extends Omit<AbFlags, 'url' | 'workers'>, ScriptFlags {
  set: string[];
  only: string[];
}

export function withScenarioOptions(command: Command): Command {
  return command
    .argument('<scenario.yaml|script.js|url>', 'a scenario, a k6 script, or the URL to load')
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
      '--arrivals <even|poisson>',
      'with --rate: evenly spaced, or at random as visitors come (default: even)',
    )
    .option(
      '--urls <file>',
      'URLs or paths to load one after another, one a line; the URL is then the server',
    )
    .option('--insecure', 'https: take any certificate')
    .option(
      '--cacert <file>',
      'https: PEM file of the authorities to believe, instead of the well-known ones',
    )
    .option('--cert <file>', "https: PEM file of the client's own certificate; with --key")
    .option('--key <file>', 'https: PEM file of its key')
    .option('-u, --vus <n>', 'script: virtual users, over all workers')
    .option('-i, --iterations <n>', 'script: iterations, over all workers and virtual users')
    .option('-d, --duration <time>', 'script: how long it runs, such as 30s')
    .option(
      '-e, --env <name=value>',
      'script: a variable of its __ENV; repeatable',
      (value: string, before: string[] = []) => collect(value, before),
    )
    .option(
      '--tag <name=value>',
      'script: a tag of all its samples; repeatable',
      (value: string, before: string[] = []) => collect(value, before),
    )
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
    .option(
      '--only <axis=value>',
      'only the cells with this value; repeatable: of one axis any of its values, of several axes all',
      collect,
      [],
    )
    .option('--wait <duration>', 'how long to wait for workers, such as 10s', parseWait);
}

const isUrl = (what: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(what);

/** @throws BroadsideError USAGE, SCENARIO_INVALID, FILE_UNREADABLE */
export async function loadScenario(what: string, flags: ScenarioFlags): Promise<Scenario> {
  if (isUrl(what)) return scenarioOfUrl(what, flags);
  const { isScript } = await import('../../shared/domain/scenario-from-script.ts');
  if (isScript(what)) return scenarioOfScript(what, flags);
  const scenario = await scenarioOfFile(what, flags);
  if (flags.only.length === 0) return scenario;
  const { withOnly } = await import('../../shared/domain/with-only.ts');
  return withOnly(scenario, flags.only);
}

async function scenarioOfUrl(url: string, flags: ScenarioFlags): Promise<Scenario> {
  const { scenarioFromFlags } = await import('../../shared/domain/scenario-from-flags.ts');
  const { workers, wait, set, only, vus, iterations, duration, env, tag, ...letters } = flags;
  const [forScripts] =
    Object.entries({ vus, iterations, duration, env, tag }).find(([, given]) => given !== undefined) ?? [];
  if (forScripts !== undefined)
    throw new BroadsideError(
      'USAGE',
      `--${forScripts}: goes with a script; a URL is loaded with ab’s letters`,
    );
  if (only.length > 0) {
    throw new BroadsideError('USAGE', '--only: chooses cells of a sweep; a URL has none');
  }
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
  urls: 'urls',
  insecure: 'tls.insecure',
  cacert: 'tls.ca',
  cert: 'tls.cert',
  key: 'tls.key',
  arrivals: 'load.arrivals',
} as const;

/** What only a script has; a scenario says it in `k6`. */
const SCRIPT_KEYS = {
  vus: 'k6.vus',
  iterations: 'k6.iterations',
  duration: 'k6.duration',
  env: 'k6.env',
  tag: 'k6.tags',
} as const;

async function scenarioOfScript(file: string, flags: ScenarioFlags): Promise<Scenario> {
  const { scenarioFromScript } = await import('../../shared/domain/scenario-from-script.ts');
  for (const letter of Object.keys(KEYS)) {
    if (flags[letter as keyof typeof KEYS] === undefined) continue;
    const flag = letter.length === 1 ? `-${letter}` : `--${letter}`;
    throw new BroadsideError(
      'USAGE',
      `${flag}: goes with a URL; a script takes -u, -i, -d and -e, as k6 run does`,
    );
  }
  if (flags.only.length > 0)
    throw new BroadsideError('USAGE', '--only: chooses cells of a sweep; a script has none');
  if (flags.set.length > 0)
    throw new BroadsideError('USAGE', '--set: changes a scenario file; a script is run as its own flags say');
  return scenarioFromScript(file, flags);
}

async function scenarioOfFile(file: string, flags: ScenarioFlags): Promise<Scenario> {
  const { readScenario } = await import('../../shared/domain/scenario-source.ts');
  for (const [letter, key] of Object.entries(KEYS)) {
    if (flags[letter as keyof typeof KEYS] === undefined) continue;
    const flag = letter.length === 1 ? `-${letter}` : `--${letter}`;
    throw new BroadsideError('USAGE', `${flag}: goes with a URL; a scenario file says it with ${key}`, {
      hint: `to change it for this run: --set ${key}=VALUE`,
    });
  }
  for (const [flag, key] of Object.entries(SCRIPT_KEYS)) {
    if (flags[flag as keyof typeof SCRIPT_KEYS] === undefined) continue;
    throw new BroadsideError('USAGE', `--${flag}: goes with a script; a scenario file says it with ${key}`, {
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
