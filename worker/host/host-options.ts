/** The flags of `worker start` and `worker observe` that are about this host, and whether what they name is here. */
import { InvalidArgumentError } from 'commander';
import { BroadsideError } from '../../shared/errors.ts';
import { interfaceNames } from './host-facts.ts';
import { whyUnavailable } from './host-reader.ts';
import { LINK_SPEED_FORM, type LinkSpeed, parseLinkSpeed } from './link-speed.ts';
import { type ProcessChoice, readProcessChoice } from './process-tree.ts';
import { isRunning } from './process-watch.ts';

export function addLinkSpeed(text: string, before: LinkSpeed[]): LinkSpeed[] {
  const speed = parseLinkSpeed(text);
  if (speed === undefined) throw new InvalidArgumentError(`expected ${LINK_SPEED_FORM}`);
  return [...before, speed];
}

export function addProcess(text: string, before: ProcessChoice[]): ProcessChoice[] {
  if (text.trim() === '')
    throw new InvalidArgumentError("expected a program's name, such as nginx, or a pid");
  return [...before, readProcessChoice(text.trim())];
}

export function addName(text: string, before: string[]): string[] {
  return [...before, text];
}

/** @throws BroadsideError USAGE for one that this host does not have */
export function checkInterfaces(names: readonly string[], linkSpeeds: readonly LinkSpeed[]): void {
  const there = interfaceNames();
  const [flag, missing] = [
    ...names.map((name) => ['--interface', name]),
    ...linkSpeeds.flatMap(({ interface: name }) => (name === undefined ? [] : [['--link-speed', name]])),
  ].find(([, name]) => !there.includes(name!)) ?? [undefined, undefined];
  if (missing === undefined) return;
  throw new BroadsideError('USAGE', `${flag} ${missing}: this host has no such interface`, {
    hint: `it has ${there.join(', ')}`,
  });
}

/** @throws BroadsideError USAGE when one is not running, or this system does not tell */
export function checkProcesses(choices: readonly ProcessChoice[]): void {
  const [first] = choices;
  if (first === undefined) return;
  const unavailable = whyUnavailable();
  if (unavailable !== undefined) {
    throw new BroadsideError('USAGE', `--process ${first.name}: ${unavailable}`);
  }
  const missing = choices.find((choice) => !isRunning(choice));
  if (missing === undefined) return;
  const what = missing.pid === undefined ? 'no process of this name' : 'no process with this pid';
  throw new BroadsideError('USAGE', `--process ${missing.name}: ${what} is running on this host`, {
    hint: 'see `ps -e -o pid,comm` for names and pids; start the server before its observer',
  });
}
