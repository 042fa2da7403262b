/**
 * A histogram with the places of `Histogram`, for many of them with few values each: of every name and of every second that
 * is still open.
 */
import { HIGHEST_TRACKABLE_US, type HistogramSnapshot, indexOf } from '../../../shared/metrics/histogram.ts';

export class SparseHistogram {
  count = 0;
  private readonly places = new Map<number, number>();
  private min = Number.POSITIVE_INFINITY;
  private max = 0;
  private sum = 0;

  /** Records one value in µs, as `Histogram.record`. */
  record(valueUs: number): void {
    const value = valueUs > 0 ? Math.round(valueUs) : 0;
    if (value > this.max) this.max = value;
    if (value < this.min) this.min = value;
    this.sum += value;
    this.count++;
    const index = indexOf(Math.min(value, HIGHEST_TRACKABLE_US));
    this.places.set(index, (this.places.get(index) ?? 0) + 1);
  }

  snapshot(): HistogramSnapshot {
    const places = [...this.places].sort(([a], [b]) => a - b);
    return {
      indexes: places.map(([index]) => index),
      counts: places.map(([, count]) => count),
      count: this.count,
      min: this.count === 0 ? 0 : this.min,
      max: this.max,
      sum: this.sum,
    };
  }
}
