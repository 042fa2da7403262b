/** Network namespaces that go with whoever made them: with a test, with a command, and also with a process that is killed. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/cli.ts';
import type { Cleanups } from '../support/scope.ts';
import { abandonedLabs, newLabName } from './lab-name.ts';

const WARDEN = path.join(ROOT, 'test', 'lab', 'warden.sh');

export interface Namespaces {
  /** Begins the names of all of its namespaces. */
  lab: string;
  /** For files; goes with the namespaces. */
  directory: string;
  /** Makes one, with its loopback still down; its full name. */
  add(host: string): string;
}

/** Namespaces of a lab, none yet. Takes away first what labs with dead owners have left. */
export function makeNamespaces(t: Cleanups): Namespaces {
  for (const abandoned of abandonedLabs()) {
    // Its owner's end of the pipe is closed from the start.
    spawnSync('sh', [WARDEN, abandoned, directoryOf(abandoned)], { stdio: 'ignore' });
  }
  const lab = newLabName();
  const directory = directoryOf(lab);
  const warden = spawn('sh', [WARDEN, lab, directory], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // It outlives its owner, and Ctrl-C.
    detached: true,
  });
  const gone = once(warden, 'exit');
  warden.unref();
  t.after(() => {
    warden.ref();
    warden.stdin!.end();
    return gone;
  });
  mkdirSync(directory, { mode: 0o755 });
  return {
    lab,
    directory,
    add: (host) => {
      const name = `${lab}-${host}`;
      run('ip', ['netns', 'add', name]);
      return name;
    },
  };
}

function directoryOf(lab: string): string {
  return path.join(os.tmpdir(), lab);
}

/** Settings of sysctl(8) in a namespace. */
export function set(namespace: string, settings: Record<string, string>): void {
  const words = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  if (words.length > 0) run('ip', ['netns', 'exec', namespace, 'sysctl', '-qw', ...words]);
}

/** Runs a command of the set-up; `input` are lines for its `-batch -`. @throws Error with what it said */
export function run(command: string, args: readonly string[], input?: readonly string[]): void {
  try {
    execFileSync(command, args, { input: input?.join('\n') ?? '', stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim();
    const lines = input === undefined ? '' : `\n${input.join('\n')}`;
    throw new Error(`${[command, ...args].join(' ')} failed: ${said || error}${lines}`);
  }
}
