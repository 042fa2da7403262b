/** What the commands of the lab need of this machine, and how they speak. */
import { NAMESPACES_MISSING } from '../support/namespace.ts';
import { packagesMissing, type TargetName } from './targets.ts';

/** What can be known before anything is started. @throws Error that says what to do */
export function checkMachine(target: TargetName): void {
  if (NAMESPACES_MISSING !== false) throw new Error(`${NAMESPACES_MISSING}. The lab is for root on Linux.`);
  const packages = packagesMissing(target);
  if (packages !== false)
    throw new Error(`the target ${target} is not installed. On Debian, as root:
  apt-get install --no-install-recommends ${packages}`);
}

/** On stderr, for stdout is the report's. */
export function say(text: string): void {
  process.stderr.write(`» ${text}\n`);
}

/** A word as a shell would need it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
