/** What `worker start` and `worker observe` have in common: where to join, as whom, and how to end. */
import os from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { CA_HELP, readAuthority } from '../shared/coordinator-tls.ts';
import { readCoordinatorUrl } from '../shared/coordinator-url.ts';
import { tokenFrom } from '../shared/environment.ts';
import { WORKER_NAME, WORKER_NAME_FORM } from '../shared/protocol/worker-name.ts';
import { addLinkSpeed } from './host/host-options.ts';

export interface JoinFlags {
  coordinator: URL;
  token?: string;
  /** PEM of the authority of the coordinator's certificate. */
  ca?: string;
  name: string;
}

/** @param who `worker` or `observer`, for the help */
export function addJoinOptions(command: Command, who: string): Command {
  return command
    .requiredOption('--coordinator <url>', 'where `coordinator start` listens', parseCoordinatorUrl)
    .option('--token <token>', 'the token that `coordinator start` printed (default: $BROADSIDE_TOKEN)')
    .option('--ca <file>', CA_HELP, readAuthority)
    .option('--name <name>', `name of this ${who}, unique at its coordinator`, parseName, defaultName());
}

export function addLinkSpeedOption(command: Command): Command {
  return command.option(
    '--link-speed <speed>',
    'how fast the link is, where the kernel does not know: 100mbit, or eth0=1gbit; repeatable',
    addLinkSpeed,
    [],
  );
}

export function tokenOf({ token }: JoinFlags): string | undefined {
  return tokenFrom(token);
}

export function parseName(text: string): string {
  if (!WORKER_NAME.test(text)) throw new InvalidArgumentError(`expected ${WORKER_NAME_FORM}`);
  return text;
}

function parseCoordinatorUrl(text: string): URL {
  const url = readCoordinatorUrl(text);
  if (url === undefined) throw new InvalidArgumentError('expected a URL such as http://10.0.0.2:7070');
  return url;
}

function defaultName(): string {
  return `${os
    .hostname()
    .split('.')[0]!
    .replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`;
}

/** Whoever joins leaves in order at SIGTERM and SIGINT. */
export function leaveOnSignals(process: NodeJS.Process, leave: (reason: string) => unknown): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A second signal means it: the default action ends the process.
    process.once(signal, () => leave(signal));
  }
}
