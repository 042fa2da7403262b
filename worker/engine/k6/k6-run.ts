/**
 * One k6 process, from the reading of its script to its end: it waits for its start, runs its segment of the load, stays for a
 * teardown, and goes. Every wait is bounded; a k6 that ends by itself, at whatever time, is told of with its own words.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, clockFrom } from '../../../shared/clock.ts';
import type { ScriptFacts } from '../../../shared/domain/k6-plan.ts';
import { messageOf } from '../../../shared/errors.ts';
import { callAt } from '../../executor/wait-until.ts';
import { threadCpuUs } from '../../thread-load.ts';
import { freePort } from './free-port.ts';
import { inspectScript } from './inspect-script.ts';
import { inspectCommand, type K6Call, runCommand } from './k6-command.ts';
import type { FromK6Thread, K6ThreadPlan, ToK6Thread } from './messages.ts';
import { differences, settledAccount, streamedTotals, totalsOf } from './own-account.ts';
import { forPeople } from './people-text.ts';
import { exitText, type GroupExit, ProcessGroup } from './process-group.ts';
import { cpuUsOf, residentBytesOf } from './process-usage.ts';
import { type K6Metric, K6Refusal, RestClient } from './rest-client.ts';
import { SampleReader } from './sample-reader.ts';
import { ScriptLog } from './script-log.ts';
import { untilReady } from './until-ready.ts';

const STATUS_EVERY_MS = 100;
/** From each way to end k6 to the next harder one. */
const STOP_STEP_MS = 2_000;
/** k6 says this when another has taken its port meanwhile. */
const CANNOT_SERVE = 106;
const MOST_PORTS = 3;
/** What k6 ends with when it is told to stop, by its API or by a signal. */
const STOPPED_CODES = [0, 103, 105];
/** Beyond a write of k6, its batches, and a busy moment. */
const LAG_WORTH_A_WORD_US = 2_000_000;

type Phase = 'preparing' | 'prepared' | 'ready' | 'running' | 'ended' | 'over';

export class K6Run {
  private readonly options: K6ThreadPlan;
  private readonly post: (message: FromK6Thread) => void;
  private readonly clock: Clock;
  private readonly call: K6Call;
  private readonly log: ScriptLog;
  private readonly cpuAtStart = threadCpuUs();
  private phase: Phase = 'preparing';
  private facts: ScriptFacts | undefined;
  private group: ProcessGroup | undefined;
  private rest: RestClient | undefined;
  private reader: SampleReader | undefined;
  private stopReason: string | undefined;
  private startUs = 0;
  /** Of k6's own: everything before the start does not count. */
  private k6CpuAtStartUs = 0;
  private k6CpuUs = 0;
  private k6ResidentBytes = 0;
  private account: K6Metric[] | undefined;
  private problems: string[] = [];

  constructor(options: K6ThreadPlan, post: (message: FromK6Thread) => void) {
    this.options = options;
    this.post = post;
    this.clock = clockFrom(options.epochBaseUs);
    const { binary, plan, script, folder, shard } = options;
    this.call = { binary, plan, script, folder, shard };
    this.log = new ScriptLog(forPeople(this.call), () => this.reader?.threw(this.clock.now()));
  }

  /** Until k6 has its VUs and waits; `prepared` or `failed` follows. */
  async prepare(): Promise<void> {
    try {
      this.facts = await inspectScript(inspectCommand(this.call), forPeople(this.call));
      await this.startProcess(this.facts);
      if (this.phase !== 'preparing') return;
      this.phase = 'prepared';
      this.post({ type: 'prepared', facts: this.facts });
    } catch (error) {
      this.fail(messageOf(error));
    }
  }

  on(message: ToK6Thread): void {
    switch (message.type) {
      case 'set-up':
        this.setUp(message.run, message.data).catch((error) => this.fail(messageOf(error)));
        break;
      case 'start':
        this.start(message.atUs);
        break;
      case 'stop':
        this.stop(message.reason);
        break;
      case 'finish':
        this.finish(message.tearDown).catch((error) => this.problems.push(messageOf(error)));
    }
  }

  private async startProcess(facts: ScriptFacts): Promise<void> {
    const submetrics = [
      ...new Set([...this.call.plan.submetrics, ...facts.thresholds.map(({ metric }) => metric)]),
    ].filter((name) => name.includes('{'));
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const command = runCommand(this.call, submetrics, port);
      const group = new ProcessGroup(command.file, command.args, command.env, command.cwd);
      this.group = group;
      this.rest = new RestClient(port);
      this.reader = new SampleReader({
        clock: this.clock,
        submetrics,
        severalScenarios: Object.keys(facts.scenarios).length > 1,
        onInterval: (interval) => this.post({ type: 'interval', interval }),
        kinds: async () => (await this.rest!.metrics()).map((metric) => [metric.name, metric]),
      });
      group.stdout.on('data', (chunk: Buffer) => this.reader!.push(chunk));
      group.stderr.setEncoding('utf8').on('data', (text: string) => this.log.push(text));
      if (await untilReady(group, this.rest, this.clock, this.options.silentMs)) break;
      this.rest.close();
      const exit = await group.exited;
      if (this.phase !== 'preparing') return;
      if (exit.code !== CANNOT_SERVE || attempt === MOST_PORTS)
        throw new Error(this.endText(exit, 'before it was ready'));
    }
    this.group.exited.then((exit) => this.onExit(exit));
  }

  private async setUp(run: boolean, data: string | undefined): Promise<void> {
    if (this.phase !== 'prepared') return;
    if (run) {
      const withinMs = this.facts!.setupTimeoutUs / 1_000 + STOP_STEP_MS;
      const returned = await this.rest!.setUp(withinMs).catch((error) => {
        throw new Error(`setup() failed: ${this.refusal(error)}`);
      });
      this.post({ type: 'set-up', ...(returned !== undefined && { data: returned }) });
    } else if (data !== undefined) await this.rest!.putSetUpData(data);
    if (this.phase !== 'prepared') return;
    this.phase = 'ready';
    this.post({ type: 'ready' });
  }

  private start(atUs: number): void {
    if (this.phase !== 'ready') return;
    this.phase = 'running';
    this.startUs = atUs;
    const rest = this.rest!;
    this.k6CpuAtStartUs = this.cpuNow();
    this.reader!.begin(atUs);
    // A connection that has just been used is there, and warm.
    callAt(this.clock, atUs - 20_000, () => rest.status().catch(() => {}));
    callAt(this.clock, atUs, () => {
      if (this.phase !== 'running' || this.stopReason !== undefined) return;
      rest.start().catch((error) => this.stop(`k6 did not start: ${messageOf(error)}`));
      this.watch().catch((error) => this.stop(messageOf(error)));
    });
  }

  /** Asks k6 how it is, also at the end of every second, until its load is over. */
  private async watch(): Promise<void> {
    let beforeUs = this.startUs;
    let unanswered = 0;
    let nextSecond = 1;
    /** In a second that the load does not see the end of, VUs are those that it had. */
    let mostVus = 0;
    while (this.phase === 'running') {
      const nowUs = this.clock.now();
      const secondEndUs = this.startUs + nextSecond * 1e6;
      const everyMs = mostVus === 0 ? STATUS_EVERY_MS / 4 : STATUS_EVERY_MS;
      await sleep(Math.max(0, Math.min(everyMs, (secondEndUs - nowUs) / 1_000)));
      const askedUs = this.clock.now();
      const status = await this.rest!.status().catch(() => undefined);
      if (this.phase !== 'running') return;
      if (status === undefined) {
        // One that has ended is told of by its exit.
        if (this.group!.exit === undefined && ++unanswered >= 3)
          throw new Error('k6 does not answer any more');
        continue;
      }
      unanswered = 0;
      if (askedUs >= secondEndUs) {
        this.reader!.hadVus(nextSecond - 1, status.vus, status.vusMax);
        this.noteCpu(nextSecond - 1);
        mostVus = 0;
        nextSecond = Math.floor((askedUs - this.startUs) / 1e6) + 1;
      }
      if (status.ended) {
        this.reader!.hadVus(nextSecond - 1, mostVus, status.vusMax);
        this.noteCpu(nextSecond - 1);
        this.onEnded(beforeUs, askedUs, status.interrupted);
        return;
      }
      mostVus = Math.max(mostVus, status.vus);
      beforeUs = askedUs;
    }
  }

  private noteCpu(second: number): void {
    const nowUs = this.cpuNow();
    this.reader!.tookCpu(second, Math.max(0, nowUs - this.k6CpuAtStartUs - this.k6CpuUs));
    this.k6CpuUs = nowUs - this.k6CpuAtStartUs;
  }

  private cpuNow(): number {
    const { pid } = this.group!;
    return (pid === undefined ? undefined : cpuUsOf(pid)) ?? this.k6CpuAtStartUs + this.k6CpuUs;
  }

  private onEnded(aliveUs: number, endedUs: number, interrupted: boolean): void {
    this.phase = 'ended';
    this.reader!.loadEnded(aliveUs - this.startUs, endedUs - this.startUs);
    this.k6CpuUs = this.cpuNow() - this.k6CpuAtStartUs;
    const { pid } = this.group!;
    if (pid !== undefined) this.k6ResidentBytes = residentBytesOf(pid) ?? 0;
    if (interrupted) this.stopReason ??= `k6 ended the test itself: ${this.log.lastError ?? 'test.abort()'}`;
    this.post({ type: 'ended', ...(this.stopReason !== undefined && { stopped: this.stopReason }) });
  }

  private stop(reason: string): void {
    if (this.phase === 'over' || this.stopReason !== undefined) return;
    this.stopReason = reason;
    if (this.phase !== 'running') {
      if (this.phase !== 'ended') this.fail(reason);
      return;
    }
    const rest = this.rest!;
    if (this.clock.now() < this.startUs) {
      this.fail(reason);
      return;
    }
    // One that does not do as it is told is ended harder and harder; `onExit` says the rest.
    rest.stop(STOP_STEP_MS / 2).catch(() => this.endProcess());
    sleep(STOP_STEP_MS, undefined, { ref: false }).then(() => {
      if (this.phase === 'running') this.endProcess();
    });
  }

  /** Asks, then insists, then kills the group. */
  private async endProcess(): Promise<void> {
    const group = this.group!;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      if (group.exit !== undefined) return;
      group.signal(signal);
      await Promise.race([group.exited, sleep(STOP_STEP_MS, undefined, { ref: false })]);
    }
    if (group.exit === undefined) group.kill();
  }

  private async finish(tearDown: boolean): Promise<void> {
    if (this.phase !== 'ended') return;
    if (tearDown) {
      const withinMs = this.facts!.teardownTimeoutUs / 1_000 + STOP_STEP_MS;
      await this.rest!.tearDown(withinMs).catch((error) => {
        this.problems.push(`teardown() failed: ${this.refusal(error)}`);
      });
    }
    this.account = await settledAccount(this.rest!).catch(() => undefined);
    await this.endProcess();
  }

  private async onExit(exit: GroupExit): Promise<void> {
    const { phase } = this;
    if (phase === 'over') return;
    this.rest?.close();
    this.log.end();
    if (phase !== 'running' && phase !== 'ended') {
      this.fail(this.endText(exit, 'before its start'));
      return;
    }
    const nowUs = this.clock.now();
    if (phase === 'running') {
      this.reader!.loadEnded(nowUs - this.startUs, nowUs - this.startUs);
      this.stopReason ??= this.endText(
        exit,
        `${((nowUs - this.startUs) / 1e6).toFixed(1)} s after its start`,
      );
    }
    this.done(exit);
  }

  private done(exit: GroupExit): void {
    const reader = this.reader!;
    const { recorder } = reader;
    reader.end(this.account ?? []);
    this.phase = 'over';
    const { totals } = recorder;
    const parserCpuUs = Math.max(0, (threadCpuUs() ?? 0) - (this.cpuAtStart ?? 0));
    if (this.account === undefined)
      this.problems.push('k6 could not be asked for its own account, so nothing checks what it wrote');
    else this.problems.push(...differences(this.account, totals));
    if (reader.lagUs > LAG_WORTH_A_WORD_US)
      this.problems.push(
        `samples of k6 waited up to ${(reader.lagUs / 1e6).toFixed(1)} s until they were read`,
      );
    const expected = STOPPED_CODES.includes(exit.code ?? -1);
    this.post({
      type: 'done',
      done: {
        totals:
          this.account === undefined
            ? streamedTotals(recorder.completed, recorder.failed)
            : totalsOf(this.account, totals),
        ...(Number.isFinite(recorder.firstRequestUs) && {
          firstRequestUs: Math.round(recorder.firstRequestUs),
        }),
        endUs: Math.round(reader.endUs),
        cpuSeconds: (this.k6CpuUs + parserCpuUs) / 1e6,
        residentBytes: this.k6ResidentBytes,
        ...(this.stopReason !== undefined && { stopped: this.stopReason }),
        exit: { ...exit, expected },
        output: {
          samples: reader.rows.rows,
          bytes: reader.rows.bytes,
          late: recorder.late,
          lagUs: Math.round(reader.lagUs),
          cpuSeconds: parserCpuUs / 1e6,
        },
        warnings: [...this.problems, ...reader.warnings()],
      },
      log: this.log.kept(),
    });
  }

  private fail(reason: string): void {
    if (this.phase === 'over') return;
    this.phase = 'over';
    this.group?.kill();
    this.rest?.close();
    this.log.end();
    this.post({ type: 'failed', reason, log: this.log.kept() });
  }

  /** What k6 said last is why. */
  private endText(exit: GroupExit, when: string): string {
    this.log.end();
    const how = exit.signal === undefined ? 'ended' : 'was killed';
    const { lastError } = this.log;
    const said = lastError ?? this.log.kept()?.text.slice(-500);
    return `k6 ${how} ${when} (${exitText(exit)})${said === undefined ? '' : `: ${said}`}`;
  }

  private refusal(error: unknown): string {
    // k6 logs more of it than its API says: with file and line.
    return error instanceof K6Refusal ? forPeople(this.call)(error.message) : messageOf(error);
  }
}
