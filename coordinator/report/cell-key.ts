import type { Cell } from '../../shared/domain/run.ts';

/** The same for the same values, whatever the order of the axes. */
export function cellKey(cell: Cell): string {
  return JSON.stringify(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)));
}
