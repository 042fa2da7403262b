/** What a person needs to work in a lab that stays up. */
import type { NetworkLab } from './lab.ts';
import type { StartedTarget } from './targets.ts';

/** How to run a command on each host, and a scenario on all. */
export function hostsText(lab: NetworkLab, target: StartedTarget): string {
  const names = ['coordinator', ...lab.workers, 'target', 'proxy'];
  const hosts = names.map((name) => {
    const { address, namespace } = lab.host(name);
    return `  ${name.padEnd(12)} ${address!.padEnd(12)} ip netns exec ${namespace} bash`;
  });
  const { namespace } = lab.host('coordinator');
  return `
The lab is up until Ctrl-C. A shell on one of its hosts, as root in another terminal:
${hosts.join('\n')}

To run something:
  export BROADSIDE_TOKEN=${lab.token}
  ip netns exec ${namespace} npx coordinator run ${target.url}/bytes/32KiB -c 12 -t 10 -k --workers ${lab.workers.length} --coordinator ${lab.url}
`;
}
