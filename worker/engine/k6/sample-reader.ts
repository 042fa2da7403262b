/** k6's output, as it is read: bytes → samples → intervals, on the trial's clock; and how far behind reading is. */
import type { Clock } from '../../../shared/clock.ts';
import type { Interval } from '../../../shared/metrics/interval.ts';
import { CsvRows } from './csv-rows.ts';
import type { MetricKind } from './known-metrics.ts';
import { OTHER_NAMES, ScriptRecorder } from './script-recorder.ts';
import { wallToClockUs } from './wall-clock.ts';

/** The wall clock may be slewed while a load runs. */
const COMPARE_CLOCKS_EVERY_US = 10_000_000;

export interface SampleReaderOptions {
  clock: Clock;
  /** Metrics with tags that somebody asks for. */
  submetrics: readonly string[];
  severalScenarios: boolean;
  onInterval(interval: Interval): void;
  /** Asks k6 what its metrics are. */
  kinds(): Promise<[name: string, kind: MetricKind][]>;
}

export class SampleReader {
  readonly rows: CsvRows;
  readonly recorder: ScriptRecorder;
  /** The most that a sample had waited until it was read. */
  lagUs = 0;
  /** End of the load, µs since the start; what is between two looks at k6 is told by its last sample. */
  endUs = 0;
  private readonly options: SampleReaderOptions;
  private startUs = Number.POSITIVE_INFINITY;
  private comparedUs = 0;
  private asking = false;
  private aliveUs = 0;
  private unknown: string[] = [];

  constructor(options: SampleReaderOptions) {
    this.options = options;
    const { submetrics, severalScenarios, onInterval } = options;
    this.recorder = new ScriptRecorder({
      submetrics,
      severalScenarios,
      onInterval,
      onUnknown: () => this.askKinds(),
    });
    this.rows = new CsvRows((metric, timeUs, value, tags) =>
      this.recorder.sample(metric, timeUs, value, tags),
    );
  }

  /** @param startUs the start instant */
  begin(startUs: number): void {
    this.startUs = startUs;
    this.compareClocks();
  }

  push(chunk: Buffer): void {
    const nowUs = this.options.clock.now();
    if (nowUs - this.comparedUs > COMPARE_CLOCKS_EVERY_US && Number.isFinite(this.startUs))
      this.compareClocks();
    const before = this.recorder.newest;
    this.rows.push(chunk);
    const { newest } = this.recorder;
    if (newest > Math.max(0, before)) this.lagUs = Math.max(this.lagUs, nowUs - this.startUs - newest);
    this.recorder.closeSeconds();
  }

  hadVus(second: number, vus: number, vusMax: number): void {
    this.recorder.hadVus(second, vus, vusMax);
  }

  /** @param second of the trial */
  tookCpu(second: number, us: number): void {
    this.recorder.tookCpu(second * 1e6, us);
  }

  /** @param atUs on the process's clock */
  threw(atUs: number): void {
    this.recorder.threw(atUs - this.startUs);
  }

  /** @param aliveUs when k6 last said that it was at work, µs since the start */
  loadEnded(aliveUs: number, endedUs: number): void {
    this.aliveUs = Math.max(0, aliveUs);
    this.recorder.loadEndUs = endedUs;
    this.endUs = endedUs;
  }

  /**
   * k6 has ended, and all that it wrote has come.
   * @param metrics what k6 said of them last
   */
  end(metrics: readonly (MetricKind & { name: string })[]): void {
    this.rows.end();
    this.recorder.learn(new Map(metrics.map((metric) => [metric.name, metric])));
    this.unknown = this.recorder.end();
    this.endUs = Math.min(this.endUs, Math.max(this.aliveUs, this.recorder.lastSampleUs));
  }

  warnings(): string[] {
    const { rows, recorder, unknown } = this;
    const { groupsLeftOut } = recorder.series;
    return [
      ...(rows.badRows > 0
        ? [`k6 wrote ${rows.badRows} lines that are no samples; the first: ${rows.firstBadRow}`]
        : []),
      ...unknown.map((metric) => `k6 did not say what ${metric} is; it is taken for a trend`),
      ...(recorder.namesAreLeftOut
        ? [`the script has more names of requests than are told apart: ${OTHER_NAMES}`]
        : []),
      ...(groupsLeftOut.size > 0 ? ['the script has more groups than are told apart'] : []),
    ];
  }

  private compareClocks(): void {
    const { clock } = this.options;
    this.recorder.begin(wallToClockUs(clock) - this.startUs);
    this.comparedUs = clock.now();
  }

  /** Once at a time; a second that waits for the answer asks again. */
  private askKinds(): void {
    if (this.asking) return;
    this.asking = true;
    this.options
      .kinds()
      .then((kinds) => {
        this.recorder.learn(new Map(kinds));
        this.recorder.closeSeconds();
      })
      // k6 may have ended; what is still unknown at the end is said then.
      .catch(() => {})
      .finally(() => {
        this.asking = false;
      });
  }
}
