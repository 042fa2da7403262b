/**
 * Holm's method (1979): p-values of several comparisons, raised so that whoever calls those at or below 5 % different
 * is wrong anywhere in the table in at most 5 % of all tables, however the comparisons depend on one another.
 * @returns in the order of `values`, at most 1
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const adjusted = new Array<number>(values.length);
  let least = 0;
  order.forEach((i, rank) => {
    least = Math.max(least, Math.min(1, (values.length - rank) * values[i]!));
    adjusted[i] = least;
  });
  return adjusted;
}
