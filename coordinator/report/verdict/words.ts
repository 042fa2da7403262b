/** Words that several rules have in common. */
export const OBSERVE = '`worker observe` on the target’s host, with `--process` for the server';

/** What to do about a limit that is inferred. @param watched whether an observer sampled the target's host */
export function surely(watched: boolean): string {
  return watched
    ? 'the target waits for something that its host does not show: locks, a pool of threads or connections, another host behind it'
    : `to be sure: ${OBSERVE}`;
}

export function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}
