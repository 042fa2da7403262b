/**
 * Bins of a histogram as text: for each, in order of index, how far its index lies from the one before (zigzag) and its count,
 * both as LEB128 numbers, in base64. About four characters a bin, where JSON takes ten.
 */
import { BroadsideError } from '../errors.ts';

/** Index and count of each bin, in order of index. */
export interface BinList {
  indexes: number[];
  counts: number[];
}

export function encodeBins({ indexes, counts }: BinList): string {
  const bytes: number[] = [];
  let before = 0;
  for (let i = 0; i < indexes.length; i++) {
    const step = indexes[i]! - before;
    push(bytes, step < 0 ? -2 * step - 1 : 2 * step);
    push(bytes, counts[i]!);
    before = indexes[i]!;
  }
  return Buffer.from(bytes).toString('base64');
}

/** @throws BroadsideError JOURNAL_CORRUPT when it ends in the middle of a bin, or holds what is no whole number */
export function decodeBins(text: string): BinList {
  const bytes = Buffer.from(text, 'base64');
  const bins: BinList = { indexes: [], counts: [] };
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
    if (Math.abs(index) > MOST_INDEX) {
      throw new BroadsideError('JOURNAL_CORRUPT', `a histogram has a bin ${index}, which no number is in`);
    }
    bins.indexes.push(index);
    bins.counts.push(next());
  }
  return bins;
}

/** Bitwise arithmetic ends here, and no histogram comes near. */
const MOST_INDEX = 2 ** 30;

function push(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
