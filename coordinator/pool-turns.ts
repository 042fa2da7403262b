/** One run at a time on a pool, also of one that is on several; the others wait in the order in which they came. */
export class PoolTurns {
  private readonly last = new Map<string, Promise<void>>();

  /** Resolves when it is this caller's turn, with the call that ends it. Rejects when the signal is aborted first. */
  async take(pools: readonly string[], signal: AbortSignal): Promise<() => void> {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // All at once: two runs never wait for each other.
    const before = Promise.all(pools.map((pool) => this.last.get(pool)));
    const mine = before.then(() => ended);
    for (const pool of pools) this.last.set(pool, mine);
    await Promise.race([before, aborted(signal)]).catch((error) => {
      // Whoever waits behind this one is not held up by it.
      end();
      throw error;
    });
    return end;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
