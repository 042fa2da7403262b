import type { Cell } from '../../shared/domain/run.ts';

/** The same for the same values, whatever the order of the axes. */
export function cellKey(cell: Cell): string {
  return JSON.stringify(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same for a cell in one round. */
export function trialKey({ cell, round }: { cell: Cell; round: number }): string {
  return `${round} ${cellKey(cell)}`;
}

/** By `cellKey`, the cells in the order in which they first come. */
export function groupByCell<T extends { cell: Cell }>(trials: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const trial of trials) {
    const key = cellKey(trial.cell);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [trial]);
    else known.push(trial);
  }
  return groups;
}
