/** What a page of results says of all trials together: what limited them, which worker carried how much, what failed. */
import type { Report, ReportTrial } from '../../coordinator/report/schema.ts';

/** So many kinds of evidence a limit. */
const MOST_KINDS = 3;
const NUMBER = /\d+(\.\d+)?/g;

/** How many trials had which limit, and each kind of evidence for it with that of its first trial. */
export function limitLines({ trials }: Report): string[] {
  const counted = trials.filter(({ state }) => state === 'completed');
  return groupsOf(counted, ({ verdict }) => verdict.limit).flatMap(([limit, those]) => {
    const kinds = groupsOf(those, ({ verdict }) => kindOf(verdict.evidence[0] ?? ''));
    const inferred = those.filter(({ verdict }) => verdict.inferred === true).length;
    const note = inferred === 0 ? '' : `, inferred in ${inferred}`;
    return [
      `- **${limit}**: ${those.length} of ${counted.length} trials${note}`,
      ...kinds.slice(0, MOST_KINDS).map(([, [first, ...more]]) => {
        const cell = Object.entries(first!.cell).map(([axis, value]) => `${axis}=${value}`);
        const times = more.length === 0 ? 'once' : `${more.length + 1} times, the first`;
        return `  - ${times}, at ${cell.join(' ')}: ${first!.verdict.evidence[0]}`;
      }),
      ...(kinds.length > MOST_KINDS ? [`  - and ${kinds.length - MOST_KINDS} more kinds of evidence`] : []),
    ];
  });
}

/** Evidence that differs only in its numbers, and in what worker it was, is of one kind. */
function kindOf(evidence: string): string {
  return evidence.replace(NUMBER, '0');
}

/** As a table of GFM: each worker's part of all requests, what it should be, and the trial that is farthest from that. */
export function sharesTable({ trials }: Report): string[] {
  const counted = trials.filter(({ state, summary }) => state === 'completed' && summary.requests > 0);
  const all = counted.reduce((sum, { summary }) => sum + summary.requests, 0);
  const names = [...new Set(counted.flatMap(({ workers }) => workers.map(({ name }) => name)))].sort();
  const rows = names.map((name) => {
    const own = counted.flatMap(({ workers, summary }) =>
      workers.filter((worker) => worker.name === name).map((worker) => ({ ...worker, of: summary.requests })),
    );
    const requests = own.reduce((sum, worker) => sum + worker.requests, 0);
    const expected = own.reduce((sum, { expectedShare, of }) => sum + expectedShare * of, 0);
    const ratios = own.map(({ share, expectedShare }) => share / expectedShare);
    const clockUs = Math.max(...own.map(({ clockUncertaintyUs }) => clockUncertaintyUs));
    return [
      ...[name, `${own.length}`, `${requests}`, percent(requests / all), percent(expected / all)],
      `×${Math.min(...ratios).toFixed(2)} to ×${Math.max(...ratios).toFixed(2)}`,
      `± ${(clockUs / 1_000).toFixed(2)} ms`,
    ];
  });
  const head = ['worker', 'trials', 'requests', 'share', 'by its load', 'single trials', 'clock, at most'];
  return [
    `| ${head.join(' | ')} |`,
    '| :-- | --: | --: | --: | --: | --: | --: |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ];
}

/**
 * As a table of GFM, by the axis that the first table of the report has down: the most that the narrowest link allows of
 * such replies, framing and connections included, and how much of it trials reached. Nothing where no link's speed is known.
 */
export function ceilingTable({ trials, tables, cells }: Report): string[] {
  const rows = tables[0]?.rows;
  const axis = cells.some(({ cell }) => rows !== undefined && rows in cell) ? rows : undefined;
  const known = trials.flatMap(({ state, cell, wire }) =>
    state === 'completed' && wire?.ceiling !== undefined
      ? [{ value: String(axis === undefined ? 'all' : cell[axis]), ceiling: wire.ceiling }]
      : [],
  );
  if (known.length === 0) return [];
  const groups = new Map<string, (typeof known)[number]['ceiling'][]>();
  for (const { value, ceiling } of known) groups.set(value, [...(groups.get(value) ?? []), ceiling]);
  const lines = [...groups].map(([value, ceilings]) => {
    const rates = ceilings.map(({ requestRate }) => requestRate);
    const reached = ceilings.map((one) => one.reached);
    const bodies = Math.max(...ceilings.map(({ body }) => body)) / 1_024;
    return [value, Math.max(...rates).toFixed(1), bodies.toFixed(0), spanText(reached)];
  });
  return [
    `| ${axis ?? 'cells'} | the link allows, req/s | KiB/s of bodies | reached by trials |`,
    '| :-- | --: | --: | --: |',
    ...lines.map((line) => `| ${line.join(' | ')} |`),
  ];
}

function spanText(shares: readonly number[]): string {
  return `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
}

/** How many requests failed, by class, with the first of each; which trials did not finish. */
export function errorLines({ trials }: Report): string[] {
  const classes = new Map<string, number>();
  let requests = 0;
  for (const { summary } of trials) {
    requests += summary.requests;
    for (const [name, count] of Object.entries(summary.errors.byClass))
      classes.set(name, (classes.get(name) ?? 0) + count);
  }
  const failed = [...classes.values()].reduce((sum, count) => sum + count, 0);
  const firsts = [...classes].map(([name, count]) => {
    const trial = trials.find(({ summary }) => summary.errors.first.some((one) => one.class === name));
    const first = trial?.summary.errors.first.find((one) => one.class === name);
    return `  - ${name} ${count}${first === undefined ? '' : `; the first at ${cellText(trial!)}: ${first.message}`}`;
  });
  const unfinished = trials.filter(({ state }) => state !== 'completed');
  return [
    `- **Errors**: ${failed === 0 ? 'none' : `${failed} failed`}; ${requests} requests completed, in ${trials.length} trials`,
    ...firsts,
    ...unfinished.map((trial) => `- **${trial.state}**: ${cellText(trial)}: ${trial.dnf?.reason ?? ''}`),
  ];
}

function cellText({ cell, round }: ReportTrial): string {
  const axes = Object.entries(cell).map(([axis, value]) => `${axis}=${value}`);
  return `${axes.join(' ')}, round ${round}`;
}

/** By key, the largest group first. */
function groupsOf<T>(all: readonly T[], keyOf: (one: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
