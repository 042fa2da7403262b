/** A network namespace of the test's own: a machine with its own loopback, ports and limits, on this one. */
import { spawnSync } from 'node:child_process';
import { Host } from '../lab/host.ts';
import { makeNamespaces, run, set } from '../lab/namespaces.ts';
import type { Cleanups } from './scope.ts';

/** Why namespaces cannot be made here, or false when they can. */
export const NAMESPACES_MISSING: string | false = whyNot();

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const name = `bslab-probe-${process.pid}`;
  const { status, error, stderr } = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
  if (error !== undefined) return 'ip (iproute2) is not installed';
  if (status !== 0) return `network namespaces cannot be made here: ${stderr.trim()}`;
  run('ip', ['netns', 'delete', name]);
  return false;
}

/** Made with its loopback up, on no network; gone with the test, and all that was started in it. */
export function makeNamespace(t: Cleanups, settings: Record<string, string> = {}): Host {
  const namespace = makeNamespaces(t).add('alone');
  run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up']);
  set(namespace, settings);
  return new Host('alone', namespace);
}
