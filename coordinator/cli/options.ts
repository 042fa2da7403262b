/** Options that several subcommands share, and how their values are read. */
import { InvalidArgumentError, Option } from 'commander';
import { CA_HELP, readAuthority } from '../../shared/coordinator-tls.ts';
import { readCoordinatorUrl } from '../../shared/coordinator-url.ts';
import { parseDuration } from '../../shared/domain/units.ts';
import { fromEnvironment } from '../../shared/environment.ts';

const DEFAULT_COORDINATOR = 'http://127.0.0.1:7070';

export function parseUrl(text: string): URL {
  const url = readCoordinatorUrl(text);
  if (url === undefined) throw new InvalidArgumentError('expected a URL such as http://10.0.0.2:7070');
  return url;
}

/** To listen on no address is to listen on all of them. */
export function parseHost(text: string): string {
  if (text === '') throw new InvalidArgumentError('expected an address; 0.0.0.0 for all of them');
  return text;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError('expected a whole number from 1 up');
  return count;
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('expected a port from 0 (any free one) to 65535');
  }
  return port;
}

/** `--data "$UNSET"` is not meant to be the current folder. */
export function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('expected a folder');
  return text;
}

/** Checked here, handed on as written. */
export function parseWait(text: string): string {
  const us = parseDuration(text);
  if (us === undefined || us === 0) throw new InvalidArgumentError('expected a duration such as 10s');
  return text;
}

export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** `--coordinator` for commands that need a running one. */
export function coordinatorOption(): Option {
  const option = new Option('--coordinator <url>', 'a running coordinator')
    .argParser(parseUrl)
    .default(new URL(DEFAULT_COORDINATOR), DEFAULT_COORDINATOR);
  // Read only by the command that is used, and then as the flag is.
  return fromEnvironment('BROADSIDE_COORDINATOR') === undefined
    ? option
    : option.env('BROADSIDE_COORDINATOR');
}

export function tokenOption(): Option {
  return new Option('--token <token>', 'its token (default: $BROADSIDE_TOKEN)');
}

/** For a coordinator on https; the text of the file. */
export function caOption(): Option {
  return new Option('--ca <file>', CA_HELP).argParser(readAuthority);
}

export function dataOption(): Option {
  return new Option(
    '--data <dir>',
    'where journals are kept (default: $BROADSIDE_DATA, else ~/.broadside)',
  ).argParser(parseFolder);
}
