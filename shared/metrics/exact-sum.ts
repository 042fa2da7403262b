/**
 * A sum of floating point numbers that does not depend on their order: it is the exact sum, rounded once. Keeps the part that
 * each addition rounds off, as partial sums that do not overlap (Shewchuk: "Adaptive Precision Floating-Point Arithmetic and
 * Fast Robust Geometric Predicates", 1997; as Python's `math.fsum` does).
 */
export class ExactSum {
  /** In order of magnitude, the smallest first. */
  private partials: number[] = [];

  add(value: number): void {
    let x = value;
    const kept: number[] = [];
    for (let y of this.partials) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) kept.push(low);
      x = high;
    }
    kept.push(x);
    this.partials = kept;
  }

  value(): number {
    const { partials } = this;
    let i = partials.length - 1;
    let high = partials[i] ?? 0;
    let low = 0;
    while (i > 0 && low === 0) {
      const x = high;
      const y = partials[--i]!;
      high = x + y;
      low = y - (high - x);
    }
    // What is left may decide which way a half is rounded.
    const next = i > 0 ? partials[i - 1]! : 0;
    if ((low < 0 && next < 0) || (low > 0 && next > 0)) {
      const twice = low * 2;
      const further = high + twice;
      if (twice === further - high) high = further;
    }
    return high;
  }
}
