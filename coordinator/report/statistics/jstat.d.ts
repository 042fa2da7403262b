/** What is used of jstat, which brings no types. */
declare module 'jstat' {
  const jstat: {
    mean(values: readonly number[]): number;
    median(values: readonly number[]): number;
    /** @param sample divide by n − 1 */
    stdev(values: readonly number[], sample: boolean): number;
    /** Regularized incomplete beta function I_x(a, b). */
    ibeta(x: number, a: number, b: number): number;
    studentt: { inv(probability: number, degrees: number): number };
    normal: { inv(probability: number, mean: number, deviation: number): number };
    /** P(X ≤ k). */
    binomial: { cdf(k: number, n: number, probability: number): number };
  };
  export default jstat;
}
