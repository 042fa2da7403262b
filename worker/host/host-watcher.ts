/**
 * Samples this host while a coordinator asks for it (`watch`, once a second while a trial lasts), and reports each second
 * as a numbered delivery. A watch that is not asked for any more ends by itself: the coordinator may be gone.
 */
import { clock } from '../../shared/clock.ts';
import type { HostReport, Unwatch, Watch } from '../../shared/protocol/messages.ts';
import { type HostChoices, hostFacts } from './host-facts.ts';
import { readHost, whyUnavailable } from './host-reader.ts';
import { ProcessWatch } from './process-watch.ts';
import { type SamplerClock, SecondSampler } from './second-sampler.ts';

/** Without a word of the coordinator; it says one a second. A link that is cut may come back within this. */
const FORGOTTEN_AFTER_MS = 20_000;

const REAL_CLOCK: SamplerClock = {
  now: () => clock.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

interface Watching {
  /** Absent where nothing can be sampled, or nobody has asked for it for long. */
  sampler: SecondSampler | undefined;
  /** The sampler's start instant. */
  originUs: number;
  /** Samples so far. */
  seconds: number;
  forget: NodeJS.Timeout;
}

export interface HostWatcherOptions {
  choices: HostChoices;
  report(report: HostReport): void;
}

export class HostWatcher {
  private readonly options: HostWatcherOptions;
  private readonly watching = new Map<string, Watching>();

  constructor(options: HostWatcherOptions) {
    this.options = options;
  }

  watch(message: Watch): void {
    const known = this.watching.get(keyOf(message));
    if (known === undefined) {
      this.begin(message);
      return;
    }
    known.forget.refresh();
    if (known.sampler === undefined) known.sampler = this.sampler(message, known);
    // A coordinator that has come back has another clock: the same instant has another time on it.
    else known.sampler.align(message.offsetUs + message.originUs - known.originUs);
  }

  unwatch(message: Unwatch): void {
    this.end(message);
  }

  /** Ends all watches, with what there is of their last seconds. */
  close(): void {
    for (const key of this.watching.keys()) {
      const [run, trial] = key.split(' ') as [string, string];
      this.end({ run, trial: Number(trial) });
    }
  }

  private begin(message: Watch): void {
    const { choices, report } = this.options;
    const { run, trial, targetUrl } = message;
    const forget = setTimeout(() => {
      watching.sampler?.end();
      watching.sampler = undefined;
    }, FORGOTTEN_AFTER_MS);
    const watching: Watching = { sampler: undefined, originUs: message.originUs, seconds: 0, forget };
    this.watching.set(keyOf(message), watching);
    hostFacts(choices, targetUrl).then((facts) => report({ type: 'host-facts', run, trial, facts }));
    watching.sampler = this.sampler(message, watching);
  }

  private sampler(message: Watch, watching: Watching): SecondSampler | undefined {
    if (whyUnavailable() !== undefined) return undefined;
    const { choices, report } = this.options;
    const { run, trial, originUs, offsetUs } = message;
    watching.originUs = originUs;
    return new SecondSampler({
      clock: REAL_CLOCK,
      read: readHost,
      processes: new ProcessWatch(choices.processes),
      originUs,
      offsetUs,
      onSecond: (sample) => report({ type: 'host-second', run, trial, seq: watching.seconds++, sample }),
    });
  }

  private end({ run, trial }: { run: string; trial: number }): void {
    const watching = this.watching.get(keyOf({ run, trial }));
    if (watching === undefined) return;
    this.watching.delete(keyOf({ run, trial }));
    clearTimeout(watching.forget);
    watching.sampler?.end();
    this.options.report({ type: 'host-done', run, trial, seconds: watching.seconds });
  }
}

function keyOf({ run, trial }: { run: string; trial: number }): string {
  return `${run} ${trial}`;
}
