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
      await print(flags, run, () => cancelledText(run));
    });
}

/** What became of the wish. One that waited is cancelled at once, as is one that was cancelled before. */
export function cancelledText({ id, state }: Pick<RunStatus, 'id' | 'state'>): string {
  if (state === 'cancelled') return `run ${id} is cancelled`;
  const over = state === 'completed' || state === 'failed';
  return over ? `run ${id} had ended: ${state}` : `run ${id} is being cancelled`;
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

type Column<T> = [head: string, cell: (row: T) => string | number];

/** Numbers to the right. */
async function tableOf<T>(columns: readonly Column<T>[], rows: readonly T[]): Promise<string> {
  const [{ plainTable }, { plain }] = await Promise.all([
    import('../report/text-table.ts'),
    import('../report/text-line.ts'),
  ]);
  const lines = plainTable({
    head: columns.map(([head]) => head),
    rows: rows.map((row) => columns.map(([, cell]) => plain(String(cell(row))))),
    right: columns.flatMap(([head], i) => (NUMBERS.includes(head) ? [i] : [])),
  });
  return lines.join('\n');
}

const NUMBERS: readonly string[] = ['trials', 'took', 'cores', 'threads', 'max rate', 'memory', 'files'];

function runsTable(runs: readonly RunStatus[]): Promise<string> {
  return tableOf(
    [
      ['run', ({ id }) => id],
      ['name', ({ name }) => name],
      ['pool', ({ pools }) => pools.join(', ')],
      ['state', ({ state }) => state],
      ['trials', ({ trials }) => trials],
      [
        'submitted',
        ({ submittedUs }) => new Date(submittedUs / 1_000).toISOString().slice(0, 19).replace('T', ' '),
      ],
      [
        'took',
        ({ startedUs, endedUs }) =>
          startedUs === undefined || endedUs === undefined ? '' : formatDuration(endedUs - startedUs),
      ],
    ],
    runs,
  );
}

function workersTable(workers: readonly WorkerView[]): Promise<string> {
  const ofLoad = (text: (worker: WorkerView) => string | number) => (worker: WorkerView) =>
    worker.role === 'worker' ? text(worker) : '-';
  return tableOf(
    [
      ['worker', ({ name }) => name],
      ['role', ({ role }) => role],
      ['pool', ofLoad(({ pool }) => pool)],
      ['host', ({ capabilities }) => capabilities.hostname],
      ['cores', ({ capabilities }) => capabilities.cores],
      ['threads', ofLoad(({ capabilities }) => capabilities.threads)],
      ['max rate', ({ capabilities: { maxRate } }) => (maxRate === undefined ? '-' : formatRate(maxRate))],
      ['memory', ({ capabilities }) => formatSize(capabilities.memoryBytes)],
      ['files', ({ capabilities }) => capabilities.fileDescriptors ?? '?'],
      ['engines', ofLoad(({ capabilities }) => enginesText(capabilities))],
      [
        'clock offset',
        ({ connected, clockOffsetUs, clockUncertaintyUs }) =>
          connected
            ? `${(clockOffsetUs / 1_000).toFixed(3)} ms ± ${(clockUncertaintyUs / 1_000).toFixed(3)}`
            : 'not connected',
      ],
    ],
    workers,
  );
}

/** `http k6 1.8.1 (k6/x/sql)`. */
function enginesText({ engines, k6 }: WorkerView['capabilities']): string {
  const extensions = k6?.extensions.filter((name) => !name.includes('.')) ?? [];
  const more = extensions.length === 0 ? '' : ` (${extensions.join(' ')})`;
  return engines
    .map((name) => (name === 'k6' && k6 !== undefined ? `k6 ${k6.version}${more}` : name))
    .join(' ');
}
