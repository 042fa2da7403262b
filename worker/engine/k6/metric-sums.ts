/** What gathers of one metric in one second. */
import type { MetricPart } from '../../../shared/metrics/script-interval.ts';
import { ValueHistogram } from '../../../shared/metrics/value-histogram.ts';
import type { MetricKind } from './known-metrics.ts';

export interface MetricSum {
  /** @param atUs since the trial's start */
  add(value: number, atUs: number): void;
  part(): MetricPart;
}

export function metricSum({ type, contains }: MetricKind): MetricSum {
  switch (type) {
    case 'counter': {
      let sum = 0;
      return {
        add: (value) => {
          sum += value;
        },
        part: () => ({ type, contains, sum }),
      };
    }
    case 'rate': {
      let [passes, total] = [0, 0];
      return {
        add: (value) => {
          total++;
          if (value !== 0) passes++;
        },
        part: () => ({ type, passes, total }),
      };
    }
    case 'gauge':
      return new GaugeSum(contains);
    case 'trend': {
      const values = new ValueHistogram();
      let sum = 0;
      return {
        add: (value) => {
          values.record(value);
          if (Number.isFinite(value)) sum += value;
        },
        part: () => ({ type, contains, sum, values: values.encode() }),
      };
    }
  }
}

class GaugeSum implements MetricSum {
  private readonly contains: MetricKind['contains'];
  private last = 0;
  private atUs = Number.NEGATIVE_INFINITY;
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;

  constructor(contains: MetricKind['contains']) {
    this.contains = contains;
  }

  add(value: number, atUs: number): void {
    if (atUs >= this.atUs) {
      this.last = value;
      this.atUs = atUs;
    }
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  part(): MetricPart {
    const { contains, last, atUs, min, max } = this;
    return { type: 'gauge', contains, last, atUs: Math.round(atUs), min, max };
  }
}

/** Of a metric whose type is not known yet: the values wait for it. */
export class WaitingSum {
  readonly metric: string;
  private readonly values: number[] = [];
  private readonly timesUs: number[] = [];

  constructor(metric: string) {
    this.metric = metric;
  }

  add(value: number, atUs: number): void {
    this.values.push(value);
    this.timesUs.push(atUs);
  }

  as(kind: MetricKind): MetricSum {
    const sum = metricSum(kind);
    this.values.forEach((value, i) => {
      sum.add(value, this.timesUs[i]!);
    });
    return sum;
  }
}
