/** Quantiles of the latency with what their sample is worth, and how one without worth is printed. */
import type { HistogramSnapshot } from '../../shared/metrics/histogram.ts';
import { quantilesOf } from '../../shared/metrics/snapshot.ts';
import { quantileSupport, samplesFor } from './statistics/quantile-support.ts';

/** The quantiles that summaries have by name. */
export const FRACTIONS = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999 } as const;

export type QuantileName = keyof typeof FRACTIONS;

const NAMES = Object.keys(FRACTIONS) as QuantileName[];

export interface QuantileLimits {
  /** Requests beyond it. */
  inTail: number;
  /** False where even the slowest request may lie below it: its number is then no more than that of a request. */
  supported: boolean;
  /** Ends of its 95 % interval by order statistics, µs; each absent where the sample does not reach as far. */
  low?: number;
  high?: number;
}

export function quantileLimits(latency: HistogramSnapshot): Record<QuantileName, QuantileLimits> {
  const n = latency.count;
  const support = NAMES.map((name) => quantileSupport(n, FRACTIONS[name]));
  const ranks = [...new Set(support.flatMap(({ lower, upper }) => [lower ?? [], upper ?? []].flat()))];
  ranks.sort((a, b) => a - b);
  // Half a rank below lies between two ranks, whichever way a fraction is rounded.
  const values = quantilesOf(
    latency,
    ranks.map((rank) => (rank - 0.5) / n),
  );
  const ranked = new Map(ranks.map((rank, i) => [rank, values[i]!]));
  const limits = NAMES.map((name, i): [QuantileName, QuantileLimits] => {
    const { inTail, supported, lower, upper } = support[i]!;
    return [
      name,
      {
        inTail,
        supported,
        ...(lower !== undefined && { low: ranked.get(lower)! }),
        ...(upper !== undefined && { high: ranked.get(upper)! }),
      },
    ];
  });
  return Object.fromEntries(limits) as Record<QuantileName, QuantileLimits>;
}

/** Whether a sample of n knows it. */
export function isSupported(n: number, name: QuantileName): boolean {
  return n >= samplesFor(FRACTIONS[name]);
}

/**
 * A quantile as tables print it: `n<368` where its sample is too small to know it, and how large it had to be.
 * @param n samples; undefined where nobody knows, which is taken for enough
 */
export function quantileText(
  value: number,
  fraction: number,
  n: number | undefined,
  format: (value: number) => string,
): string {
  const needed = samplesFor(fraction);
  return n !== undefined && n < needed ? `n<${needed}` : format(value);
}
