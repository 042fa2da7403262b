/** `coordinator list`, `show`, `cancel` and `workers`: what a running coordinator knows. */
import { Command, Option } from 'commander';
import { formatDuration, formatRate, formatSize } from '../../shared/domain/units.ts';
import { tokenFrom } from '../../shared/environment.ts';
import type { WorkerView } from '../api.ts';
import type { CoordinatorClient } from '../client.ts';
import type { RunStatus } from '../run-status.ts';
import { caOption, coordinatorOption, tokenOption } from './options.ts';

interface RemoteFlags {
  coordinator: URL;
  token?: string;
  ca?: string;
  format: string;
}

function remoteCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(new Option('--format <format>', 'text or json').choices(['text', 'json']).default('text'))
    .addOption(coordinatorOption())
    .addOption(tokenOption())
    .addOption(caOption());
}

async function clientOf({ coordinator, token, ca }: RemoteFlags): Promise<CoordinatorClient> {
  const { CoordinatorClient } = await import('../client.ts');
  return new CoordinatorClient(coordinator, tokenFrom(token), ca);
}

async function print(
  flags: RemoteFlags,
  value: unknown,
  text: () => string | Promise<string>,
): Promise<void> {
  process.stdout.write(`${flags.format === 'json' ? JSON.stringify(value, null, 2) : await text()}\n`);
}

export function listCommand(): Command {
  return remoteCommand('list', 'the runs of a coordinator, oldest first').action(
    async (flags: RemoteFlags) => {
      const runs = await (await clientOf(flags)).runs();
      await print(flags, runs, () => (runs.length === 0 ? 'no runs yet' : runsTable(runs)));
    },
  );
}

export function showCommand(): Command {
  return remoteCommand('show', 'one run')
    .argument('<run>', 'its id')
    .action(async (id: string, flags: RemoteFlags) => {
      const run = await (await clientOf(flags)).run(id);
      await print(
        flags,
        run,
        async () => (await runsTable([run])) + (run.reason === undefined ? '' : `\n${run.reason}`),
      );
    });
}

export function cancelCommand(): Command {
  return remoteCommand('cancel', 'cancel a queued or running run')
    .argument('<run>', 'its id')
    .action(async (id: string, flags: RemoteFlags) => {
      const run = await (await clientOf(flags)).cancel(id);
      const over = run.state === 'completed' || run.state === 'failed';
      await print(flags, run, () =>
        over ? `run ${id} had ended: ${run.state}` : `run ${id} is being cancelled`,
      );
    });
}

export function workersCommand(): Command {
  return remoteCommand('workers', 'the workers and observers of a coordinator').action(
    async (flags: RemoteFlags) => {
      const workers = await (await clientOf(flags)).workers();
      await print(flags, workers, () =>
        workers.length === 0 ? 'no workers or observers are connected' : workersTable(workers),
      );
    },
  );
}

async function runsTable(runs: RunStatus[]): Promise<string> {
  const table = await plainTable(['run', 'name', 'pool', 'state', 'trials', 'submitted', 'took']);
  for (const { id, name, pools, state, trials, submittedUs, startedUs, endedUs } of runs) {
    const submitted = new Date(submittedUs / 1_000).toISOString().slice(0, 19).replace('T', ' ');
    const took = startedUs === undefined || endedUs === undefined ? '' : formatDuration(endedUs - startedUs);
    table.push([id, name, pools.join(', '), state, trials, submitted, took]);
  }
  return table.toString();
}

async function workersTable(workers: WorkerView[]): Promise<string> {
  const table = await plainTable([
    'worker',
    'role',
    'pool',
    'host',
    'cores',
    'threads',
    'max rate',
    'memory',
    'files',
    'engines',
    'clock offset',
  ]);
  for (const {
    name,
    role,
    pool,
    connected,
    capabilities: can,
    clockOffsetUs,
    clockUncertaintyUs,
  } of workers) {
    const loads = role === 'worker';
    const clock = `${(clockOffsetUs / 1_000).toFixed(3)} ms ± ${(clockUncertaintyUs / 1_000).toFixed(3)}`;
    table.push([
      name,
      role,
      loads ? pool : '-',
      can.hostname,
      can.cores,
      loads ? can.threads : '-',
      can.maxRate === undefined ? '-' : formatRate(can.maxRate),
      formatSize(can.memoryBytes),
      can.fileDescriptors ?? '?',
      loads ? enginesText(can) : '-',
      connected ? clock : 'not connected',
    ]);
  }
  return table.toString();
}

/** `http k6 1.8.1 (k6/x/sql)`. */
function enginesText({ engines, k6 }: WorkerView['capabilities']): string {
  const extensions = k6?.extensions.filter((name) => !name.includes('.')) ?? [];
  const more = extensions.length === 0 ? '' : ` (${extensions.join(' ')})`;
  return engines
    .map((name) => (name === 'k6' && k6 !== undefined ? `k6 ${k6.version}${more}` : name))
    .join(' ');
}

type PlainTable = InstanceType<typeof import('cli-table3')>;

async function plainTable(head: string[]): Promise<PlainTable> {
  const { default: Table } = await import('cli-table3');
  return new Table({
    head,
    style: { head: [], border: [], compact: true },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
}
