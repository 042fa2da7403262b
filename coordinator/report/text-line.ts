/** Words, numbers and lines as the text format writes them. */
import type { Cell } from '../../shared/domain/run.ts';
import { formatDuration, formatSize } from '../../shared/domain/units.ts';

const LABEL_WIDTH = 15;

/**
 * `Label          text`, broken between words where it is wider than `width`, and indented under its first line.
 * A line break in `text` stays.
 */
export function labelled(label: string, text: string, width: number): string[] {
  const room = Math.max(20, width - LABEL_WIDTH);
  return text
    .split('\n')
    .flatMap((line) => wrapped(line, room))
    .map((line, i) => `${(i === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
}

/** Broken between words. */
export function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Text from the network or the scenario, without what a terminal would obey. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** `size=4KiB connections=40`; `all` when the scenario has no sweep. */
export function cellLabel(cell: Cell): string {
  const axes = Object.entries(cell).map(([axis, value]) => `${axis}=${value}`);
  return axes.length === 0 ? 'all' : plain(axes.join(' '));
}

/** `24251.50/s` */
export function requestRateText(perSecond: number): string {
  return `${perSecond.toFixed(2)}/s`;
}

/** `103.54 MiB/s`, always with two decimals, in the unit that suits. */
export function transferRateText(bytesPerSecond: number): string {
  const units = ['B/s', 'KiB/s', 'MiB/s', 'GiB/s', 'TiB/s'];
  let value = bytesPerSecond;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(2)} ${units[unit]}`;
}

/** `8674000 B (8.27 MiB)` */
export function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${bytes} B (${formatSize(bytes)})`;
}

/** `+312 µs`, `-1.20 ms`. */
export function signedDuration(us: number): string {
  return `${us < 0 ? '-' : '+'}${formatDuration(Math.abs(us))}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
