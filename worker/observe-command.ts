/** `worker observe`: samples the host it runs on, usually the target's, while trials last. */
import { Command } from 'commander';
import { checkAuthority } from '../shared/coordinator-tls.ts';
import { createLogger } from '../shared/logger.ts';
import { addName, addProcess, checkInterfaces, checkProcesses } from './host/host-options.ts';
import type { LinkSpeed } from './host/link-speed.ts';
import type { ProcessChoice } from './host/process-tree.ts';
import {
  addJoinOptions,
  addLinkSpeedOption,
  type JoinFlags,
  leaveOnSignals,
  tokenOf,
} from './join-options.ts';

interface ObserveFlags extends JoinFlags {
  process: ProcessChoice[];
  interface: string[];
  linkSpeed: LinkSpeed[];
}

export function observeCommand(): Command {
  const command = new Command('observe').description(
    "join a coordinator and only sample this host, such as the target's, while trials last",
  );
  addJoinOptions(command, 'observer');
  command
    .option(
      '--process <name|pid>',
      'a program to sample with all its children: its name, or a pid; repeatable',
      addProcess,
      [],
    )
    .option('--interface <name>', 'the interface that the traffic goes over; repeatable', addName, []);
  return addLinkSpeedOption(command).action(observe);
}

async function observe(flags: ObserveFlags): Promise<void> {
  const { coordinator, name, interface: interfaces, linkSpeed: linkSpeeds, process: processes } = flags;
  checkAuthority(coordinator, flags.ca);
  checkInterfaces(interfaces, linkSpeeds);
  checkProcesses(processes);
  const log = await createLogger('worker');
  const { observer: observerOf } = await import('./observer.ts');
  const observer = observerOf({
    coordinator,
    token: tokenOf(flags),
    ca: flags.ca,
    name,
    host: { processes, interfaces, linkSpeeds },
    log,
  });
  leaveOnSignals(process, (signal) => observer.leave(signal));
  observer.join();
  await observer.left;
}
