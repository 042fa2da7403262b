/** Differences of counters that only rise, until they wrap around or start anew. */

const WRAP_32 = 2 ** 32;
/** What fell from the upper half of 32 bits has wrapped; anything else was set back to 0. */
const HALF = WRAP_32 / 2;

/** How much was counted from `before` to `now`. What a counter had before it was set back is lost. */
export function counted(before: number, now: number): number {
  if (now >= before) return now - before;
  return before >= HALF && before < WRAP_32 ? now + WRAP_32 - before : now;
}

/** `counted` for each of the fields. */
export function countedEach<Name extends string>(
  before: Record<Name, number>,
  now: Record<Name, number>,
): Record<Name, number> {
  const names = Object.keys(now) as Name[];
  return Object.fromEntries(names.map((name) => [name, counted(before[name], now[name])])) as Record<
    Name,
    number
  >;
}
