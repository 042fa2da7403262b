/** A run's progress on stderr: a bar where stderr is a terminal, plain lines elsewhere. stdout is for the report. */
import { SingleBar } from 'cli-progress';
import { formatDuration, formatSize } from '../../shared/domain/units.ts';
import type { LiveScript, Progress, RunEvent } from '../../shared/protocol/run-events.ts';

export class ProgressDisplay {
  private readonly out: NodeJS.WriteStream;
  private bar: SingleBar | undefined;
  private lastState = '';

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.out = out;
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'progress':
        if (this.out.isTTY) this.showBar(event);
        else this.say(`${percent(event.done)} ${describe(event)}`);
        break;
      case 'notice':
        this.say(event.message);
        break;
      case 'run-state':
        if (event.state === 'queued' || event.state === this.lastState) break;
        this.lastState = event.state;
        this.say(`run ${event.runId} ${event.state}${event.reason === undefined ? '' : `: ${event.reason}`}`);
    }
  }

  say(line: string): void {
    this.endBar();
    this.out.write(`${line}\n`);
  }

  end(): void {
    this.endBar();
  }

  private showBar(progress: Progress): void {
    if (this.bar === undefined) {
      this.bar = new SingleBar({
        stream: this.out,
        format: '{bar} {share} {text}',
        barsize: 20,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        clearOnComplete: true,
        linewrap: false,
        gracefulExit: false,
      });
      this.bar.start(1_000, 0, { share: '', text: '' });
    }
    this.bar.update(Math.round(progress.done * 1_000), {
      share: percent(progress.done),
      text: describe(progress),
    });
  }

  private endBar(): void {
    if (this.bar === undefined) return;
    // The bar clears its line: what stays on the screen is the report.
    this.bar.stop();
    this.bar = undefined;
  }
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}%`.padStart(4);
}

function describe(progress: Progress): string {
  const { trial, trials, label, requestRate, transferRate, p50, p99, errors, workers, elapsedUs, script } =
    progress;
  const latency =
    p50 === undefined || p99 === undefined ? '' : `p50 ${formatDuration(p50)} p99 ${formatDuration(p99)}, `;
  const which = trials === 1 ? '' : `[${trial + 1}/${trials}] ${label}: `;
  return (
    `${which}${formatDuration(elapsedUs)}, ${scriptText(script)}${Math.round(requestRate)} req/s, ${formatSize(transferRate)}/s, ${latency}` +
    `errors ${errors}, workers ${workers}`
  );
}

function scriptText(script: LiveScript | undefined): string {
  if (script === undefined) return '';
  const { vus, iterations, iterationRate, checksFailed } = script;
  const failed = checksFailed === 0 ? '' : `checks failed ${checksFailed}, `;
  return `${vus} VUs, ${iterations} iterations (${Math.round(iterationRate)}/s), ${failed}`;
}
