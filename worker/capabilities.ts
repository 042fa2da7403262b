/** What this machine can do, told at registration. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { K6Facts } from '../shared/domain/k6-requirements.ts';
import type { WorkerCapabilities } from '../shared/protocol/worker-facts.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';

/** The main thread needs a core too, where there are several. */
export function defaultThreads(): number {
  return Math.max(1, os.availableParallelism() - 1);
}

/**
 * @param engines built-in ones; none of an observer, which loads nothing
 * @param k6 where there is a binary
 */
export function readCapabilities(
  threads: number,
  engines: readonly string[],
  k6?: K6Facts,
  { capacity, weight = 1, maxRate }: Pick<WorkerCapabilities, 'capacity' | 'weight' | 'maxRate'> = {},
): WorkerCapabilities {
  const fileDescriptors = softLimitOfFiles();
  return {
    hostname: os.hostname(),
    platform: `${os.platform()} ${os.arch()}`,
    nodeVersion: process.versions.node,
    broadsideVersion: BROADSIDE_VERSION,
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    ...(fileDescriptors === undefined ? {} : { fileDescriptors }),
    engines: k6 === undefined ? [...engines] : [...engines, 'k6'],
    ...(k6 === undefined ? {} : { k6: { version: k6.version, extensions: k6.extensions } }),
    addresses: ownAddresses(),
    threads,
    ...(weight === 1 ? {} : { weight }),
    ...(maxRate === undefined ? {} : { maxRate }),
    ...(capacity === undefined ? {} : { capacity }),
  };
}

function ownAddresses(): string[] {
  return Object.values(os.networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
}

function softLimitOfFiles(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    // Not a Linux: Node has no other way to ask.
    return undefined;
  }
}
