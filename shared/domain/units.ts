/**
 * Units as users write them, and the base units that the code computes in: times in microseconds, sizes in bytes,
 * rates a second. Parsers return `undefined` for what is not of the form; the caller knows the place to name.
 */

const TIME_US: Record<string, number> = {
  us: 1,
  µs: 1,
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  min: 60_000_000,
  h: 3_600_000_000,
};

const SIZE_BYTES: Record<string, number> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
  kB: 1000,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  TB: 1000 ** 4,
};

const PER_SECOND: Record<string, number> = { s: 1, m: 1 / 60, min: 1 / 60, h: 1 / 3600 };

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const DURATION_PART = new RegExp(`\\s*${NUMBER}\\s*(us|µs|ms|s|min|m|h)`, 'y');
const SIZE = new RegExp(`^${NUMBER}\\s*(B|KiB|MiB|GiB|TiB|kB|KB|MB|GB|TB)$`);
const RATE = new RegExp(`^${NUMBER}\\s*/\\s*(s|min|m|h)$`);

/** `10s`, `250 ms`, `1m30s` → microseconds. */
export function parseDuration(text: string): number | undefined {
  let total = 0;
  DURATION_PART.lastIndex = 0;
  while (DURATION_PART.lastIndex < text.length) {
    const match = DURATION_PART.exec(text);
    if (match === null) return undefined;
    total += Number(match[1]) * TIME_US[match[2]!]!;
  }
  return text === '' ? undefined : Math.round(total);
}

/** `64KiB`, `1 MB`, `10B` → bytes. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text);
  return match === null ? undefined : Math.round(Number(match[1]) * SIZE_BYTES[match[2]!]!);
}

/** `1500/s`, `90/m` → a second. */
export function parseRate(text: string): number | undefined {
  const match = RATE.exec(text);
  return match === null ? undefined : Number(match[1]) * PER_SECOND[match[2]!]!;
}

/** A rate as people read it: `5000/s`, `1.5/s`. */
export function formatRate(perSecond: number): string {
  return `${Number(perSecond.toFixed(perSecond < 10 ? 2 : perSecond < 1000 ? 1 : 0))}/s`;
}

/** Three significant digits and the unit that suits: `834 µs`, `13.3 ms`, `2.05 s`, `3m20s`. */
export function formatDuration(us: number): string {
  if (us < 999.5) return `${Math.round(us)} µs`;
  if (us < 999_500) return `${threeDigits(us / 1_000)} ms`;
  if (us < 120_000_000) return `${threeDigits(us / 1_000_000)} s`;
  const seconds = Math.round(us / 1_000_000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}h${minutes}m` : `${minutes}m${seconds % 60}s`;
}

/** `0 B`, `17.2 KiB`, `1.05 GiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1024;
    unit++;
  } while (value >= 1023.5 && unit < units.length - 1);
  return `${threeDigits(value)} ${units[unit]}`;
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}
