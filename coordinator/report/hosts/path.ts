/** Which of a host's interfaces the load goes over. */
import type { HostFacts } from '../../../shared/metrics/host-second.ts';
import type { HostRole } from '../../../shared/protocol/messages.ts';

/**
 * What the operator named; else for a worker the way to the target, and for an observer the interface that has the
 * target's address, or where it has none the way to it. What a machine loads on itself goes over its loopback.
 * @param targetAddresses that the load went to
 * @param loading machines of the workers
 * @returns names
 */
export function pathOf(
  { interfaces, machine }: HostFacts,
  role: HostRole,
  targetAddresses: readonly string[],
  loading: readonly (string | undefined)[],
): string[] {
  const names = (wanted: (one: HostFacts['interfaces'][number]) => boolean | undefined): string[] =>
    interfaces.flatMap((one) => (wanted(one) ? [one.name] : []));
  const chosen = names((one) => one.chosen);
  if (chosen.length > 0) return chosen;
  const way = names((one) => one.toTarget);
  const onlyItself = machine !== undefined && loading.length > 0 && loading.every((one) => one === machine);
  if (role === 'worker' || onlyItself) return way;
  const own = names(({ addresses }) => addresses.some((address) => targetAddresses.includes(address)));
  return own.length > 0 ? own : way;
}
