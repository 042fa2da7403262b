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
import { doneReport } from './done-report.ts';
import { freePort } from './free-port.ts';
import { inspectScript } from './inspect-script.ts';
import { inspectCommand, type K6Call, runCommand } from './k6-command.ts';
import { type LoadEnd, watchLoad } from './load-watch.ts';
import type { FromK6Thread, K6ThreadPlan, ToK6Thread } from './messages.ts';
import { settledAccount } from './own-account.ts';
import { forPeople } from './people-text.ts';
import { exitText, type GroupExit, ProcessGroup } from './process-group.ts';
import { CpuSince, residentBytesOf } from './process-usage.ts';
import { type K6Metric, K6Refusal, RestClient } from './rest-client.ts';
import { SampleReader } from './sample-reader.ts';
import { ScriptLog } from './script-log.ts';
import { untilReady } from './until-ready.ts';

/** From each way to end k6 to the next harder one. */
const STOP_STEP_MS = 2_000;
/** k6 says this when another has taken its port meanwhile. */
const CANNOT_SERVE = 106;
const MOST_PORTS = 3;
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
  private k6Cpu: CpuSince | undefined;
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
    this.k6Cpu = new CpuSince(this.group!.pid);
    this.reader!.begin(atUs);
    // A connection that has just been used is there, and warm.
    callAt(this.clock, atUs - 20_000, () => rest.status().catch(() => {}));
    callAt(this.clock, atUs, () => {
      if (this.phase !== 'running' || this.stopReason !== undefined) return;
      rest.start().catch((error) => this.stop(`k6 did not start: ${messageOf(error)}`));
      this.watch().catch((error) => this.stop(messageOf(error)));
    });
  }

  private async watch(): Promise<void> {
    const end = await watchLoad({
      clock: this.clock,
      rest: this.rest!,
      startUs: this.startUs,
      goesOn: () => this.phase === 'running',
      hasExited: () => this.group!.exit !== undefined,
      onSecond: (second, vus, vusMax) => this.noteSecond(second, vus, vusMax),
    });
    if (end !== undefined) this.onEnded(end);
  }

  private noteSecond(second: number, vus: number, vusMax: number): void {
    this.reader!.hadVus(second, vus, vusMax);
    const before = this.k6CpuUs;
    this.k6CpuUs = this.k6Cpu!.used();
    this.reader!.tookCpu(second, this.k6CpuUs - before);
  }

  private onEnded({ aliveUs, endedUs, interrupted }: LoadEnd): void {
    this.phase = 'ended';
    this.reader!.loadEnded(aliveUs - this.startUs, endedUs - this.startUs);
    this.k6CpuUs = this.k6Cpu!.used();
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
    rest.stop(STOP_STEP_MS / 2).catch(() => this.group!.end(STOP_STEP_MS));
    sleep(STOP_STEP_MS, undefined, { ref: false }).then(() => {
      if (this.phase === 'running') this.group!.end(STOP_STEP_MS);
    });
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
    await this.group!.end(STOP_STEP_MS);
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
    reader.end(this.account ?? []);
    this.phase = 'over';
    const done = doneReport({
      reader,
      account: this.account,
      exit,
      stopped: this.stopReason,
      k6: { cpuUs: this.k6CpuUs, residentBytes: this.k6ResidentBytes },
      readerCpuUs: Math.max(0, (threadCpuUs() ?? 0) - (this.cpuAtStart ?? 0)),
      problems: this.problems,
    });
    this.post({ type: 'done', done, log: this.log.kept() });
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
