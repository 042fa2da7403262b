/** What is to be cleaned up in the end: a test's own `t.after`, or a Scope outside of tests. */
export interface Cleanups {
  after(clean: () => unknown): void;
}

export class Scope implements Cleanups {
  private readonly pending: (() => unknown)[] = [];
  private closing: Promise<void> | undefined;

  /** @throws when the scope is closed: what comes to life after that would never be cleaned up */
  after(clean: () => unknown): void {
    if (this.closing !== undefined)
      throw new Error('nothing more can be started: everything is being cleaned up');
    this.pending.push(clean);
  }

  /** A scope that can be closed earlier than this one, and is closed with it. */
  inner(): Scope {
    const scope = new Scope();
    this.after(() => scope.close());
    return scope;
  }

  /** Cleans up, last first, each thing once; everything is tried, and the first error thrown afterwards. */
  close(): Promise<void> {
    this.closing ??= this.cleanUp();
    return this.closing;
  }

  private async cleanUp(): Promise<void> {
    const errors: unknown[] = [];
    for (let clean = this.pending.pop(); clean !== undefined; clean = this.pending.pop()) {
      try {
        await clean();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
