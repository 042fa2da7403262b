/**
 * Bins of a histogram as text: for each, in order of index, how far its index lies from the one before (zigzag) and its count,
 * both as LEB128 numbers, in base64. About four characters a bin, where JSON takes ten.
 */
import { BroadsideError } from '../errors.ts';

export type Bin = readonly [index: number, count: number];

/** @param bins in order of index */
export function encodeBins(bins: readonly Bin[]): string {
  const bytes: number[] = [];
  let before = 0;
  for (const [index, count] of bins) {
    const step = index - before;
    push(bytes, step < 0 ? -2 * step - 1 : 2 * step);
    push(bytes, count);
    before = index;
  }
  return Buffer.from(bytes).toString('base64');
}

/** @throws BroadsideError JOURNAL_CORRUPT when it ends in the middle of a bin, or holds what is no whole number */
export function decodeBins(text: string): Bin[] {
  const bytes = Buffer.from(text, 'base64');
  const bins: Bin[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || value > Number.MAX_SAFE_INTEGER) {
        throw new BroadsideError('JOURNAL_CORRUPT', 'a histogram ends in the middle of a bin');
      }
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  let index = 0;
  while (at < bytes.length) {
    const step = next();
    index += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    bins.push([index, next()]);
  }
  return bins;
}

function push(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
