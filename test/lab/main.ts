/**
 * `npm run lab`: a lab of several machines on this one, a scenario run in it, and the report; or the lab alone, to work
 * in. Progress on stderr, the report on stdout.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/cli.ts';
import { NAMESPACES_MISSING } from '../support/namespace.ts';
import { Scope } from '../support/scope.ts';
import { aimWords } from './aim.ts';
import { hostsText } from './hosts-text.ts';
import { startNetworkLab } from './lab.ts';
import { FlagError, HELP, type LabOptions, readOptions } from './options.ts';
import { packagesMissing, startTarget } from './targets.ts';

/** npm passes Ctrl-C on to what the terminal has already told, so one press may come twice. */
const SAME_PRESS_MS = 500;

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  checkMachine(options);
  const scope = new Scope();
  const ctrlC = new CtrlC();
  try {
    return await Promise.race([ctrlC.alone, lab(scope, options, ctrlC)]);
  } finally {
    say('taking the lab down');
    await scope.close();
  }
}

/** What can be known before anything is started. */
function checkMachine({ target, scenario }: LabOptions): void {
  if (NAMESPACES_MISSING !== false) throw new Error(`${NAMESPACES_MISSING}. The lab is for root on Linux.`);
  const packages = packagesMissing(target);
  if (packages !== false)
    throw new Error(`the target ${target} is not installed. On Debian, as root:
  apt-get install --no-install-recommends ${packages}`);
  if (scenario !== undefined && !existsSync(scenario))
    throw new FlagError(`--scenario: there is no file ${scenario} in ${process.cwd()}`);
}

async function lab(scope: Scope, options: LabOptions, ctrlC: CtrlC): Promise<number> {
  const { workers, bitsPerSecond, target: name, scenario } = options;
  say(
    `hosts on a switch, ${bitsPerSecond / 1e6} Mbit/s each: coordinator, ${workers} workers, target, proxy`,
  );
  const lab = await startNetworkLab(scope, options);
  say(`the target, ${name}:`);
  const target = await startTarget(scope, lab, name);
  say(`  ${target.url}`);
  for (const host of new Set(['target', ...target.processes.map((one) => one.host)])) {
    const pids = target.processes.filter((one) => one.host === host).map(({ pid }) => String(pid));
    await lab.observe(host, pids);
  }
  let code = 0;
  if (scenario !== undefined) {
    const aimed = aimWords(scenario, { url: target.url, address: lab.host('target').address! });
    const words = [
      path.relative(ROOT, path.resolve(scenario)),
      ...aimed,
      '--workers',
      String(workers),
      ...options.words,
    ];
    say(`$ coordinator run ${words.map(quoted).join(' ')}`);
    code = await ctrlC.during(lab.show(words));
  }
  if (!options.keep || ctrlC.pressed) return code;
  process.stderr.write(hostsText(lab, target));
  return ctrlC.alone;
}

/** As a shell would need it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Ctrl-C is for the run while there is one, for it may still report; else it ends the lab. */
class CtrlC {
  pressed = false;
  /** Its exit code, when it came while nothing was run. */
  readonly alone: Promise<number>;
  private foreground: ChildProcess | undefined;
  private pressedAtMs = 0;

  constructor() {
    let end: (code: number) => void;
    this.alone = new Promise((resolve) => {
      end = resolve;
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => this.press(() => end(130)));
  }

  /** The exit code of what is run. */
  async during(child: ChildProcess): Promise<number> {
    this.foreground = child;
    const [code] = (await once(child, 'exit')) as [number | null];
    this.foreground = undefined;
    return code ?? 1;
  }

  private press(end: () => void): void {
    const nowMs = performance.now();
    if (this.pressed) {
      // Namespaces and processes are the warden's to take down.
      if (nowMs - this.pressedAtMs > SAME_PRESS_MS) process.exit(130);
      return;
    }
    this.pressed = true;
    this.pressedAtMs = nowMs;
    if (this.foreground === undefined) end();
    else this.foreground.kill('SIGINT');
  }
}

function say(text: string): void {
  process.stderr.write(`» ${text}\n`);
}

try {
  // Not only the exit code: what an interruption has cut off may still wait for something.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`lab: ${error instanceof Error ? error.message : error}\n`);
  process.exit(error instanceof FlagError ? 2 : 1);
}
