/** What this machine can do, told at registration. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { WorkerCapabilities } from '../shared/protocol/messages.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';
import { ENGINES } from './engine/engines.ts';

/** The main thread needs a core too, where there are several. */
export function defaultThreads(): number {
  return Math.max(1, os.availableParallelism() - 1);
}

export function readCapabilities(threads: number): WorkerCapabilities {
  const fileDescriptors = softLimitOfFiles();
  return {
    hostname: os.hostname(),
    platform: `${os.platform()} ${os.arch()}`,
    nodeVersion: process.versions.node,
    broadsideVersion: BROADSIDE_VERSION,
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    ...(fileDescriptors === undefined ? {} : { fileDescriptors }),
    engines: Object.keys(ENGINES),
    addresses: ownAddresses(),
    threads,
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
