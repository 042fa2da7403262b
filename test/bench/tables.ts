/** A bench's results as Markdown that can be read on a terminal as well. */
import { formatSize } from '../../shared/domain/units.ts';
import type { BenchResults, CaseResult, ContenderResult, TargetResult } from './results.ts';
import { ceilingsOf } from './targets.ts';
import type { ThreadScaling } from './threads.ts';
import type { Spread } from './turns.ts';

export function formatResults(results: BenchResults): string {
  const { machine, othersCores, seconds, rounds, cases, footprint, threads, targets } = results;
  return [
    `# Broadside beside its peers, ${results.measuredAt.slice(0, 10)}`,
    [
      `- machine: ${machine.cpu}, ${machine.cores} cores, ${formatSize(machine.memoryBytes)}, ${machine.kernel}`,
      `- node ${machine.node}, nginx ${machine.nginx}`,
      `- ${results.pinning}`,
      ...(othersCores === undefined ? [] : [othersLine(othersCores)]),
      `- ${rounds} rounds of turns of ${seconds} s: Broadside, a peer, Broadside, the next peer, …`,
    ].join('\n'),
    ...cases.map(formatCase),
    '## Targets',
    table([['', 'target', 'measured', ''], ...targets.map(targetRow)]),
    ...ceilingsOf(cases).map(
      ({ what, over, fastest, ratio }) =>
        `${what}: the fastest peer, ${fastest}, reaches ${ratio.toFixed(2)} times ${over}'s rate; the server has one core, and where the client is fast that ends the rate.`,
    ),
    threadsLine(threads),
    `Embedded starts: ${footprint.embeddedStartMs.map((ms) => `${(ms / 1_000).toFixed(2)} s`).join(', ')}.`,
    NOTES,
    '',
  ].join('\n\n');
}

/** Says how it was computed: nobody had two cores. */
function threadsLine({
  bodyBytes,
  connections,
  cpuPerRequest: { one, two },
  scaling,
}: ThreadScaling): string {
  const work = `bodies of ${formatSize(bodyBytes)} compared by SHA-256, on ${connections} connections`;
  if (one === undefined || two === undefined || scaling === undefined)
    return `Two threads (${work}): CPU time is not known here.`;
  const each = `${two.toFixed(1)} µs of CPU a request on two load threads, ${one.toFixed(1)} on one`;
  return `Two threads (${work}): ${each}. With a core for each they would do 2 × one / two = ${ratio(scaling)} times the requests of one; they shared a core here.`;
}

/** What a system at rest may take. */
const QUIET_CORES = 0.1;

const NOTES = `Medians; in brackets the least and the greatest. A ratio is Broadside's value over the peer's, taken against the mean
of Broadside's turns just before and just after the peer's. Client CPU is user and system time of the process that
drives the load: a peer's from its start to its end, the worker's (all its threads) during the load. Whole chain:
coordinator, Redis, worker and \`coordinator run\`, from the start of the command to its end. Transfer rate is of the
bodies of completed requests. Memory is the peak of the process that drives the load.`;

function othersLine(cores: number): string {
  const quiet =
    cores < QUIET_CORES ? '' : ': too many to trust these numbers, measure again on a quiet machine';
  return `- other processes kept ${cores.toFixed(2)} cores busy meanwhile${quiet}`;
}

function formatCase({ name, contenders }: CaseResult): string {
  const header = [
    ...['', 'requests/s', 'MiB/s', 'rate ratio ×', 'CPU µs/request', 'CPU ratio ×'],
    ...['memory MB', 'failed'],
  ];
  const [{ chainCpuPerRequest: chain } = {}] = contenders;
  const note = chain === undefined ? [] : [`Whole chain of Broadside: ${chain.toFixed(1)} µs/request.`];
  return [`## ${name}`, table([header, ...contenders.map(contenderRow)]), ...note].join('\n\n');
}

function contenderRow(contender: ContenderResult): string[] {
  const name = `${contender.name} ${contender.version}`;
  if (contender.failure !== undefined)
    return [name, `failed: ${contender.failure.replaceAll('\n', ' ')}`, '', '', '', '', '', ''];
  return [
    name,
    fixed(contender.requestRate, 0),
    fixed(contender.transferRate && contender.transferRate / 1024 ** 2, 1),
    ratio(contender.requestRateRatio),
    fixed(contender.cpuPerRequest, 1),
    ratio(contender.cpuRatio),
    fixed(contender.residentBytes && contender.residentBytes / 1e6, 0),
    String(contender.failed),
  ];
}

function targetRow({ what, unit, atLeast, atMost, value, met }: TargetResult): string[] {
  const target = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  const result = met === undefined ? 'not measured' : met ? 'met' : 'missed';
  return [what, `${target} ${unit}`, value === undefined ? '' : `${value.toFixed(2)} ${unit}`, result];
}

function fixed(value: number | undefined, digits: number): string {
  return value === undefined ? '' : value.toFixed(digits);
}

function ratio(spread: Spread | undefined): string {
  if (spread === undefined) return '';
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) => value.toFixed(2));
  return `${median} (${min} … ${max})`;
}

/** The first row is the header; the first column is text, the others are numbers, aligned right. */
function table(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const aligned = rows.map((row) =>
    line(
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))),
    ),
  );
  const rule = line(widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)));
  return [aligned[0], rule, ...aligned.slice(1)].join('\n');
}
