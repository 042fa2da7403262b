/** One host of a lab: a network namespace, and what is run in it. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Host {
  readonly name: string;
  readonly namespace: string;
  /** On the lab's network; undefined where the host is on none. */
  readonly address: string | undefined;

  constructor(name: string, namespace: string, address?: string) {
    this.name = name;
    this.namespace = namespace;
    this.address = address;
  }

  /** The command line that runs a program here. `ip` becomes the program, so its process id is the program's. */
  command(program: string, args: readonly string[]): [string, string[]] {
    return ['ip', ['netns', 'exec', this.namespace, program, ...args]];
  }

  /** Starts a program in a session of its own: Ctrl-C at the terminal is for the lab's owner, who ends things in order. */
  spawn(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const [command, words] = this.command(program, args);
    return spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  }

  /** Runs a program to its end. */
  async run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
    const child = this.spawn(program, args, { env });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]!.setEncoding('utf8').on('data', (text) => {
        ended[stream] += text;
      });
    }
    [ended.code] = await once(child, 'close');
    return ended;
  }
}
