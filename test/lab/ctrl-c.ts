/** Ctrl-C is for the run while there is one, for it may still report; else it ends the lab. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** npm passes Ctrl-C on to what the terminal has already told, so one press may come twice. */
const SAME_PRESS_MS = 500;

export class CtrlC {
  pressed = false;
  /** The exit code, once it came while nothing was run. */
  readonly alone: Promise<number>;
  private foreground: ChildProcess | undefined;
  private pressedAtMs = 0;

  constructor() {
    let end: (code: number) => void;
    this.alone = new Promise((resolve) => {
      end = resolve;
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => this.press(() => end(130)));
  }

  /** The exit code of what is run. */
  async during(child: ChildProcess): Promise<number> {
    this.foreground = child;
    const [code] = (await once(child, 'exit')) as [number | null];
    this.foreground = undefined;
    return code ?? 1;
  }

  private press(end: () => void): void {
    const nowMs = performance.now();
    if (this.pressed) {
      // Namespaces and processes are the warden's to take down.
      if (nowMs - this.pressedAtMs > SAME_PRESS_MS) process.exit(130);
      return;
    }
    this.pressed = true;
    this.pressedAtMs = nowMs;
    if (this.foreground === undefined) end();
    else this.foreground.kill('SIGINT');
  }
}
