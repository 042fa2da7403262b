/** One run at a time on a pool; the others wait in the order in which they came. */
export class PoolTurns {
  private readonly last = new Map<string, Promise<void>>();

  /** Resolves when it is this caller's turn, with the call that ends it. Rejects when the signal is aborted first. */
  async take(pool: string, signal: AbortSignal): Promise<() => void> {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const before = this.last.get(pool) ?? Promise.resolve();
    const mine = before.then(() => ended);
    this.last.set(pool, mine);
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
