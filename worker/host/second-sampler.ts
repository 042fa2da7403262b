/**
 * Samples this host once a second of a trial. Seconds are counted on the coordinator's clock from the trial's start
 * instant, as those of the traffic are; where they begin and end is found by the measured offset of this host's clock,
 * and anew when a better one is known. How long a second really was is measured on this host's monotonic clock.
 */
import type { HostSecond } from '../../shared/metrics/host-second.ts';
import { between, type HostReading } from './host-reader.ts';
import type { ProcessWatch } from './process-watch.ts';

export interface SamplerClock {
  /** µs, monotonic. */
  now(): number;
  /** Calls back after so many ms. @returns takes it back */
  after(ms: number, call: () => void): () => void;
}

export interface SecondSamplerOptions {
  clock: SamplerClock;
  read(): HostReading;
  processes: ProcessWatch;
  /** The trial's start instant on the coordinator's clock, µs. */
  originUs: number;
  /** This host's clock minus the coordinator's, µs. */
  offsetUs: number;
  onSecond(second: HostSecond): void;
}

/** Shorter than this there is nothing to say: CPU time is counted in steps of 10 ms. */
const SHORTEST_US = 20_000;

export class SecondSampler {
  private readonly options: SecondSamplerOptions;
  private offsetUs: number;
  private takeBack = (): void => {};
  private last: { reading: HostReading; atUs: number } | undefined;
  /** The second whose beginning is waited for. */
  private next: number;

  constructor(options: SecondSamplerOptions) {
    this.options = options;
    this.offsetUs = options.offsetUs;
    this.next = this.secondAfter();
    // A host that comes late to a trial takes its first second from now on.
    if (this.next > 0) this.begin();
    this.arm();
  }

  /** The clocks have drifted, or their offset is known better now. */
  align(offsetUs: number): void {
    if (offsetUs === this.offsetUs) return;
    this.offsetUs = offsetUs;
    this.arm();
  }

  /** What there is of the last second, and no more after that. */
  end(): void {
    this.takeBack();
    this.sample();
    this.options.processes.end();
  }

  /** µs since the start instant. */
  private sinceStart(atUs: number): number {
    return atUs - this.offsetUs - this.options.originUs;
  }

  private secondAfter(): number {
    return Math.max(0, Math.floor(this.sinceStart(this.options.clock.now()) / 1e6) + 1);
  }

  private arm(): void {
    this.takeBack();
    const { clock } = this.options;
    const leftUs = this.next * 1e6 - this.sinceStart(clock.now());
    this.takeBack = clock.after(Math.max(0, leftUs / 1_000), () => {
      if (this.last === undefined) this.begin();
      else this.sample();
      // A timer may come a little early, or seconds late.
      this.next = Math.max(this.next + 1, this.secondAfter());
      this.arm();
    });
  }

  private begin(): void {
    const { clock, read, processes } = this.options;
    const atUs = clock.now();
    this.last = { reading: read(), atUs };
    processes.look(atUs);
  }

  /** Nothing before the beginning. */
  private sample(): void {
    const { clock, read, processes, onSecond } = this.options;
    const { last } = this;
    const atUs = clock.now();
    const lengthUs = Math.round(atUs - (last?.atUs ?? atUs));
    if (last === undefined || lengthUs < SHORTEST_US) return;
    const reading = read();
    this.last = { reading, atUs };
    const fromUs = Math.round(this.sinceStart(last.atUs));
    const looked = processes.look(atUs);
    onSecond({
      // By its middle: timers are late or early, and a better offset moves it. A long one is that of its beginning.
      second: Math.max(0, Math.floor((fromUs + Math.min(lengthUs, 1e6) / 2) / 1e6)),
      fromUs,
      lengthUs,
      ...between(last.reading, reading),
      ...(looked.length > 0 && { processes: looked }),
    });
  }
}
