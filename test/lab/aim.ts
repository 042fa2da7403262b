/** Aims a scenario at the lab's target: what would be on this machine is on the target's host. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Place {
  /** Of the lab's target. */
  url: string;
  /** Of its host. */
  address: string;
  /** Where servers.sh has the files of the servers there. */
  directory?: string | undefined;
}

/** Where scenarios/classic takes the servers to have been started. */
const SERVERS_HERE = '/tmp/classic';
/** A loopback address as a word of its own. */
const HERE = /(?<![\d.])127\.0\.0\.1(?![\d.])/g;

/**
 * Words for `coordinator run`. `targets.target`, as the small scenarios call their one target, becomes the lab's; where
 * other targets and variables say 127.0.0.1, the address of the target's host is put in, and the servers' directory there
 * for that of scenarios/classic.
 * A file that cannot be read is left for `coordinator run` to tell of.
 */
export function aimWords(file: string, place: Place): string[] {
  const scenario = read(file);
  const settings = ['vars', 'targets'].flatMap((key) =>
    Object.entries(mapping(scenario[key])).flatMap(([name, value]): string[] => {
      if (key === 'targets' && name === 'target') return [`targets.target=${place.url}`];
      const text = JSON.stringify(value) ?? '';
      const aimed = text
        .replace(HERE, place.address)
        .replaceAll(SERVERS_HERE, place.directory ?? SERVERS_HERE);
      return aimed === text ? [] : [`${key}.${name}=${aimed}`];
    }),
  );
  return settings.flatMap((setting) => ['--set', setting]);
}

function read(file: string): Record<string, unknown> {
  try {
    return mapping(parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

function mapping(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
