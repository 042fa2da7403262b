/** For people: a target whose addresses are all of a family by which nothing leaves a worker's machine, and what mends it. */
import type { PreflightFacts, TargetReach } from '../shared/protocol/worker-facts.ts';

/** @param where the target's host */
export function noWayText(
  where: string,
  { addresses = [] }: TargetReach,
  { family, missing, others }: NonNullable<TargetReach['noFamily']>,
  { localAddresses = [] }: PreflightFacts,
): { message: string; remedy: string } {
  const other = family === 'IPv6' ? 'IPv4' : 'IPv6';
  // IPv4 is taken where a name has both.
  const only = others.length === 0 ? 'only ' : '';
  const by = `${where} is loaded by ${family} ${only}(${addresses.join(', ')})`;
  const rename =
    others.length === 0
      ? `name the target by an ${other} address, if it has one`
      : `name the target by its ${other} address ${others[0]}`;
  if (missing === 'local-address') {
    return {
      message: `${by}, and none of this worker's local addresses (${localAddresses.join(', ')}) is of that family`,
      remedy: `--local-address with an ${family} address of this machine, or none; or ${rename}`,
    };
  }
  const route = family === 'IPv6' ? 'ip -6 route' : 'ip -4 route';
  return {
    message: `${by}, and this machine has no way out by ${family}`,
    remedy: `${rename}; or give this machine an ${family} address and a route (\`${route}\` shows them)`,
  };
}
