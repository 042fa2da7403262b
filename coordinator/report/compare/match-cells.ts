/** Which cells of two runs are the same cell. */
import type { Cell } from '../../../shared/domain/run.ts';
import { cellKey } from '../cell-key.ts';
import { cellLabel } from '../text-line.ts';

/** A cell and the target that it was measured at. */
export interface PlacedCell {
  cell: Cell;
  target: { name: string };
}

export interface Matches<A, B> {
  matched: { cell: Cell; a: A; b: B }[];
  onlyA: { cell: Cell; a: A }[];
  onlyB: { cell: Cell; b: B }[];
}

/**
 * Cells are the same when all their axes have the same values. Where one of the runs sweeps its targets, its name is
 * an axis of the other too, so that a run at one target finds its column in a run at several. Where neither does, the
 * name says nothing: a scenario is often run again at another place, to compare just that.
 */
export function matchCells<A extends PlacedCell, B extends PlacedCell>(
  a: readonly A[],
  b: readonly B[],
): Matches<A, B> {
  const sweepsTargets = [...a, ...b].some(({ cell }) => Object.hasOwn(cell, 'target'));
  const placed = ({ cell, target }: PlacedCell): Cell =>
    sweepsTargets ? { target: target.name, ...cell } : cell;
  const rest = new Map(b.map((one) => [cellKey(placed(one)), one]));
  const result: Matches<A, B> = { matched: [], onlyA: [], onlyB: [] };
  for (const one of a) {
    const cell = placed(one);
    const key = cellKey(cell);
    const other = rest.get(key);
    if (other === undefined) result.onlyA.push({ cell, a: one });
    else result.matched.push({ cell, a: one, b: other });
    rest.delete(key);
  }
  result.onlyB = [...rest.values()].map((one) => ({ cell: placed(one), b: one }));
  return result;
}

const NAMED = 6;

/** `4 cells: size=1KiB connections=1, …` */
export function cellsText(cells: readonly Cell[]): string {
  const labels = cells.slice(0, NAMED).map(cellLabel);
  const more = cells.length > NAMED ? `, and ${cells.length - NAMED} more` : '';
  return `${cells.length === 0 ? 'none' : labels.join(', ')}${more}`;
}
