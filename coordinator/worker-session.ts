/** A worker as its coordinator sees it: who it is, how its clock runs, and the socket it is reached by, if any. */
import type WebSocket from 'ws';
import { clock } from '../shared/clock.ts';
import type { CoordinatorMessage, Hello, PreflightAnswer } from '../shared/protocol/messages.ts';
import type { HostSample, PreflightFacts } from '../shared/protocol/worker-facts.ts';
import { type ClockOffset, ClockOffsetEstimator } from './clock-offset.ts';

/** Round trips at once after the hello; then one with every heartbeat. */
const FIRST_PROBES = 8;

export class WorkerSession {
  readonly hello: Hello;
  host: HostSample | undefined;
  /** µs on the coordinator's clock. */
  lastHeardUs = clock.now();
  /** Resolves when all deliveries so far are acknowledged; the next one is chained to it. */
  acknowledged: Promise<void> = Promise.resolve();
  /** How many of its reports could not be journaled, and are tried again. */
  unkept = 0;
  private socket: WebSocket | undefined;
  private readonly offset = new ClockOffsetEstimator();
  private readonly probesSent = new Map<number, number>();
  private lastProbe = 0;
  private readonly asked = new Map<number, (facts: PreflightFacts) => void>();
  private lastAsk = 0;

  constructor(hello: Hello) {
    this.hello = hello;
  }

  get name(): string {
    return this.hello.name;
  }

  get connected(): boolean {
    return this.socket !== undefined;
  }

  /** The clock is measured well enough to start a load by. */
  get clockMeasured(): boolean {
    return this.offset.size >= FIRST_PROBES;
  }

  clockOffset(): ClockOffset {
    return this.offset.estimate(clock.now()) ?? { offsetUs: 0, uncertaintyUs: Number.POSITIVE_INFINITY };
  }

  attach(socket: WebSocket): void {
    // An older socket of the same process is dead or about to be.
    if (this.socket !== undefined && this.socket !== socket) this.socket.terminate();
    this.socket = socket;
    this.probesSent.clear();
    this.probe();
  }

  /** @returns whether this was the socket in use */
  detach(socket: WebSocket): boolean {
    if (this.socket !== socket) return false;
    this.socket = undefined;
    return true;
  }

  /** Lost when the worker is not connected; what matters is sent again when it comes back. */
  send(message: CoordinatorMessage): void {
    this.socket?.send(JSON.stringify(message));
  }

  terminate(): void {
    this.socket?.terminate();
  }

  probe(): void {
    const probe = ++this.lastProbe;
    this.probesSent.set(probe, clock.now());
    this.send({ type: 'clock-probe', probe });
  }

  /** Resolves with undefined when no answer comes within `withinMs`. */
  askPreflight(
    urls: string[],
    withinMs: number,
    { calibrate = false } = {},
  ): Promise<PreflightFacts | undefined> {
    const ask = ++this.lastAsk;
    this.send({ type: 'ask-preflight', ask, urls, ...(calibrate && { calibrate }) });
    return new Promise((resolve) => {
      const settle = (facts?: PreflightFacts): void => {
        clearTimeout(timer);
        this.asked.delete(ask);
        resolve(facts);
      };
      const timer = setTimeout(settle, withinMs);
      this.asked.set(ask, settle);
    });
  }

  onPreflightAnswer({ ask, facts }: PreflightAnswer): void {
    if (facts.capacity !== undefined) this.hello.capabilities.capacity = facts.capacity;
    this.asked.get(ask)?.(facts);
  }

  /** @returns whether the clock has just become measured */
  onClockAnswer(probe: number, workerReceivedUs: number, workerSentUs: number): boolean {
    const receivedUs = clock.now();
    const sentUs = this.probesSent.get(probe);
    if (sentUs === undefined) return false;
    this.probesSent.delete(probe);
    this.offset.add({ sentUs, workerReceivedUs, workerSentUs, receivedUs });
    if (this.offset.size < FIRST_PROBES) this.probe();
    return this.offset.size === FIRST_PROBES;
  }
}
