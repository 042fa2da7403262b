/**
 * An arrival rate that goes from stage to stage along straight lines, its integral Λ (how many arrivals are due by a
 * time), and the inverse of that (when an arrival is due). The inverse is a closed form of the arrival's number alone,
 * so that nothing drifts, however long the load is.
 */
import type { OpenLoad, Stage } from './load-plan.ts';

/** Arrivals this close to the end of a stage belong to the next; it keeps 0.1/s × 30 s from being 2 arrivals. */
const ALMOST = 1e-9;

interface Piece {
  startUs: number;
  durationUs: number;
  /** Rates at its two ends. */
  from: number;
  to: number;
  /** Λ at its start, and its own share of it. */
  before: number;
  area: number;
}

export class RateCurve {
  readonly durationUs: number;
  /** Λ at the end. */
  readonly total: number;
  /** Those in which something arrives; jumps and stages at rate 0 are passed over. */
  private readonly pieces: Piece[] = [];
  /** The piece of the last answer: questions mostly come in order. */
  private at = 0;

  constructor(startRate: number, stages: readonly Stage[]) {
    let startUs = 0;
    let from = startRate;
    let before = 0;
    for (const { durationUs, target: to } of stages) {
      const area = (((from + to) / 2) * durationUs) / 1e6;
      if (area > 0) this.pieces.push({ startUs, durationUs, from, to, before, area });
      startUs += durationUs;
      before += area;
      from = to;
    }
    this.durationUs = startUs;
    this.total = before;
  }

  /** Whole arrivals in the curve: the k-th counts when the one after it would be due by the end. */
  get arrivals(): number {
    return Math.floor(this.total + ALMOST);
  }

  /**
   * Λ⁻¹(arrivals) in µs, for 0 ≤ arrivals ≤ Λ(end). Where Λ stands still, because the rate is 0 for a while, it is the
   * end of that while.
   */
  timeOf(arrivals: number): number {
    const { pieces } = this;
    while (this.at > 0 && arrivals < pieces[this.at]!.before - ALMOST) this.at--;
    while (this.at < pieces.length - 1 && arrivals >= pieces[this.at + 1]!.before - ALMOST) this.at++;
    const piece = pieces[this.at]!;
    return piece.startUs + timeInto(piece, Math.min(piece.area, Math.max(0, arrivals - piece.before)));
  }
}

/**
 * Solves area = from·x + slope·x²/2 for x, in µs. The root is written as 2·area / (from + √(from² + 2·slope·area)),
 * which has no difference of near numbers in it as long as the slope is not negative, and is area/rate when it is 0;
 * a falling stage is solved from its end, where it rises.
 */
function timeInto({ durationUs, from, to, area: whole }: Piece, area: number): number {
  if (to < from) return durationUs - rising(to, from, durationUs, whole - area);
  return rising(from, to, durationUs, area);
}

function rising(low: number, high: number, durationUs: number, area: number): number {
  if (area <= 0) return 0;
  const slope = ((high - low) * 1e6) / durationUs;
  return Math.min(durationUs, (2e6 * area) / (low + Math.sqrt(low * low + 2 * slope * area)));
}

/** The curve of the whole load that a share was split from. */
export function rateCurve(load: OpenLoad): RateCurve {
  if (load.executor === 'ramping-arrival-rate') return new RateCurve(load.startRate, load.stages);
  return new RateCurve(load.rate, [{ durationUs: load.durationUs, target: load.rate }]);
}
