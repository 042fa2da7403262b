/**
 * Search for the knee: which value to try next, given the results so far, or the answer. Pure.
 *
 * Assumed: a value that holds has all lower ones hold, and over connections the request rate rises up to the knee and
 * not after it. The method: from `from` on each value is at least twice the one before, until one breaks a condition, `to`
 * is reached, or (connections) half as many connections again bring no more than the tolerance. The end of what holds is
 * then bisected on the grid `from`, `from + step`, … `to`. Over a rate, that end is the answer; over connections the answer
 * is the fewest whose rate is within the tolerance of the highest, found by a second bisection.
 *
 * One trial is enough on the way where it holds; one that breaks is repeated, and where two disagree a third decides. What
 * the answer rests on (the best value, and its neighbours) has two trials at least. So no value has more than three.
 */
import type { Cell } from './run.ts';

export interface SearchSpec {
  maximize: 'requestRate';
  /** What is searched: connections of a closed loop, or arrivals a second of an open one. */
  over: 'connections' | 'rate';
  from: number;
  to: number;
  /** Distance of the values that are tried; `to` is one of them in any case. */
  step: number;
  /** Conditions, all of which have to hold; thresholds as text. */
  until: string[];
  /** Over connections: rates that differ by less than this share are the same. */
  tolerance: number;
}

/** One search a cell of the sweep. */
export interface CellSearch {
  cell: Cell;
  spec: SearchSpec;
}

/** What one trial says of its value. */
export interface SearchResult {
  value: number;
  holds: boolean;
  /** Requests a second. */
  rate: number;
  /** For people, where it does not hold: the condition and what was measured. */
  broke?: string;
}

/** A value that the answer rests on. */
export interface Deciding {
  value: number;
  trials: number;
  /** Of its trials: those in which all conditions held. */
  held: number;
  /** Median of its trials, 1/s. */
  rate: number;
  /** Of its first trial that broke. */
  broke?: string;
}

export interface SearchAnswer {
  /**
   * found: between two values of the grid; open: `to` itself is the best; none: even `from` breaks; unfinished: trials
   * contradicted each other until there were no more of them; stopped: a trial could not be carried out.
   */
  end: 'found' | 'open' | 'none' | 'unfinished' | 'stopped';
  best?: Deciding;
  /** The lowest value that breaks. */
  breaks?: Deciding;
  /** Over connections: the most that held, where they bring no more. */
  noMore?: Deciding;
  /** Over connections: the next fewer, which reach less. */
  fewer?: Deciding;
  trials: number;
  /** Where it stopped. */
  reason?: string;
}

export type SearchStep = { next: number } | { answer: SearchAnswer };

type Grid = Pick<SearchSpec, 'over' | 'from' | 'to' | 'step'>;

/** How many values there are to choose from. */
export function gridSize({ from, to, step }: Grid): number {
  return 1 + Math.ceil((to - from) / step - 1e-9);
}

function valueAt(grid: Grid, index: number): number {
  return index >= gridSize(grid) - 1 ? grid.to : Number((grid.from + index * grid.step).toFixed(6));
}

function indexOf(grid: Grid, value: number): number {
  return value >= grid.to ? gridSize(grid) - 1 : Math.round((value - grid.from) / grid.step);
}

/** The first value that is twice as high. */
function doubled(grid: Grid, index: number): number {
  const twice = Math.ceil((2 * valueAt(grid, index) - grid.from) / grid.step - 1e-9);
  return Math.min(gridSize(grid) - 1, Math.max(index + 1, twice));
}

/** The values of the way up, as long as nothing breaks. */
export function wayUp(grid: Grid): number[] {
  const indices = [0];
  while (indices.at(-1)! < gridSize(grid) - 1) indices.push(doubled(grid, indices.at(-1)!));
  return indices.map((index) => valueAt(grid, index));
}

const MOST_TRIALS_OF_VALUE = 3;

/** Trials that a search takes at most: of each value on the way up and in each bisection the most that a value has. */
export function mostTrials(grid: Grid): number {
  const indices = wayUp(grid).map((value) => indexOf(grid, value));
  const widest = Math.max(1, ...indices.map((index, i) => index - (indices[i - 1] ?? 0)));
  const bisection = Math.ceil(Math.log2(widest));
  const values = indices.length + bisection * (grid.over === 'connections' ? 2 : 1);
  return MOST_TRIALS_OF_VALUE * Math.min(gridSize(grid), values);
}

/** @param results of all trials so far, in their order; their values are of the grid */
export function nextStep(spec: SearchSpec, results: readonly SearchResult[]): SearchStep {
  const tried = triedValues(spec, results);
  const broken = tried.find(breaks);
  const below = tried.filter((one) => holds(one) && (broken === undefined || one.index < broken.index));
  const last = below.at(-1);
  const found = { trials: results.length, ...(broken !== undefined && { breaks: deciding(broken) }) };
  const index = needed(spec, tried, below, broken);
  if (index !== undefined) {
    if (results.length < mostTrials(spec)) return { next: valueAt(spec, index) };
    const best = last === undefined ? {} : { best: deciding(last) };
    return { answer: { end: 'unfinished', ...best, ...found } };
  }
  if (last === undefined) return { answer: { end: 'none', ...found } };
  if (spec.over === 'rate') return { answer: { end: endAt(spec, last), best: deciding(last), ...found } };
  const { enough, fewer } = fewest(spec, below);
  return {
    answer: {
      end: endAt(spec, enough),
      best: deciding(enough),
      ...found,
      ...(last !== enough && { noMore: deciding(last) }),
      ...(fewer !== undefined && { fewer: deciding(fewer) }),
    },
  };
}

function endAt(grid: Grid, best: Tried): 'found' | 'open' {
  return best.index === gridSize(grid) - 1 ? 'open' : 'found';
}

/** Where the next trial has to be; undefined when nothing is open any more. */
function needed(
  spec: SearchSpec,
  tried: readonly Tried[],
  below: readonly Tried[],
  broken: Tried | undefined,
): number | undefined {
  if (tried.length === 0) return 0;
  const doubtful = tried.find((one) => !holds(one) && !breaks(one));
  if (doubtful !== undefined) return doubtful.index;
  const last = below.at(-1);
  if (last === undefined) return undefined;
  const flat = spec.over === 'connections' ? flatFrom(spec, below) : undefined;
  const unsure = flat?.find(isSingle);
  if (unsure !== undefined) return unsure.index;
  if (flat === undefined) {
    if (broken === undefined && last.index < gridSize(spec) - 1) return doubled(spec, last.index);
    if (broken !== undefined && broken.index - last.index > 1) return between(last, broken);
  }
  if (spec.over === 'rate') return isSingle(last) ? last.index : undefined;
  return neededForFewest(spec, below);
}

function neededForFewest(spec: SearchSpec, below: readonly Tried[]): number | undefined {
  const { highest, enough, fewer } = fewest(spec, below);
  const floor = (1 - spec.tolerance) * rateOf(highest);
  const tie = below.find(
    (one) => one.rates.length === 2 && one.rates.filter((rate) => rate >= floor).length === 1,
  );
  if (tie !== undefined && (tie === enough || tie === fewer)) return tie.index;
  if (fewer !== undefined && enough.index - fewer.index > 1) return between(fewer, enough);
  return [highest, enough, fewer, below.at(-1)].find((one) => one !== undefined && isSingle(one))?.index;
}

/** Of connections that hold: those with the highest rate, the fewest that are enough for it, and the next fewer. */
function fewest(
  { tolerance }: SearchSpec,
  below: readonly Tried[],
): { highest: Tried; enough: Tried; fewer?: Tried } {
  const highest = below.reduce((most, one) => (rateOf(one) > rateOf(most) ? one : most));
  const floor = (1 - tolerance) * rateOf(highest);
  const at = below.findIndex((one) => rateOf(one) >= floor);
  const fewer = below[at - 1];
  return { highest, enough: below[at]!, ...(fewer !== undefined && { fewer }) };
}

/** So many times the connections should bring more, before the knee. */
const WORTH_MORE = 1.5;

/** Two that hold, far apart, of which the higher brings no more. */
function flatFrom({ tolerance }: SearchSpec, below: readonly Tried[]): [Tried, Tried] | undefined {
  const last = below.at(-1)!;
  const before = below.findLast(({ value }) => value * WORTH_MORE <= last.value);
  if (before === undefined) return undefined;
  return rateOf(last) < (1 + tolerance) * rateOf(before) ? [before, last] : undefined;
}

interface Tried {
  index: number;
  value: number;
  held: number;
  rates: number[];
  broke?: string;
}

/** In rising order. */
function triedValues(grid: Grid, results: readonly SearchResult[]): Tried[] {
  const byIndex = new Map<number, Tried>();
  for (const { value, holds: held, rate, broke } of results) {
    const index = indexOf(grid, value);
    const one = byIndex.get(index) ?? { index, value, held: 0, rates: [] };
    one.rates.push(rate);
    if (held) one.held++;
    else if (broke !== undefined) one.broke ??= broke;
    byIndex.set(index, one);
  }
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}

function holds({ held, rates }: Tried): boolean {
  return held >= 2 || (held === 1 && rates.length === 1);
}

function breaks({ held, rates }: Tried): boolean {
  return rates.length - held >= 2;
}

function isSingle({ rates }: Tried): boolean {
  return rates.length < 2;
}

function between(low: Tried, high: Tried): number {
  return Math.floor((low.index + high.index) / 2);
}

function rateOf({ rates }: Tried): number {
  const sorted = rates.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function deciding(one: Tried): Deciding {
  const { value, held, rates, broke } = one;
  return { value, trials: rates.length, held, rate: rateOf(one), ...(broke !== undefined && { broke }) };
}
