/** Words that several rules have in common. */
export const OBSERVE = '`worker observe` on the target’s host, with `--process` for the server';

export function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}
