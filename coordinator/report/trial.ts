/** One trial, from its journal records to its place in the report. */
import { createHash } from 'node:crypto';
import type { ScriptFacts } from '../../shared/domain/k6-plan.ts';
import type { TrialPlan } from '../../shared/domain/run.ts';
import { emptyCounts, type Interval, type ThreadLoad } from '../../shared/metrics/interval.ts';
import { type Ledger, mergeLedgers, shardLedger } from '../../shared/metrics/ledger.ts';
import type { AskedValue } from '../../shared/metrics/script-value.ts';
import { isSilent, type Stall, stallsIn } from '../../shared/metrics/stall.ts';
import { type Summary, snapshotIn, summarize, timelineRows } from '../../shared/metrics/summary.ts';
import { TimelineBuilder } from '../../shared/metrics/timeline.ts';
import type {
  DnfSpec,
  HookRecord,
  HostJournalRecord,
  IntervalRecord,
  ScriptLogRecord,
  ScriptRecord,
  ShardDoneRecord,
  ShardRecord,
  TrialEndedRecord,
  TrialStartedRecord,
  WorkerLostRecord,
} from '../journal-records.ts';
import type { Finding } from '../preflight.ts';
import { HostsReader } from './hosts/hosts-reader.ts';
import { wireAccount } from './hosts/wire-account.ts';
import { judgeTrial } from './judge.ts';
import { poolsOf } from './pools.ts';
import { quantileLimits } from './quantile-limits.ts';
import type {
  ReportHook,
  ReportOptions,
  ReportScript,
  ReportStart,
  ReportThread,
  ReportTrial,
  ReportWorker,
} from './schema.ts';
import { askedByScript, firstErrorIn, judgeScript, scriptOf } from './script-trial.ts';
import { verdictOf } from './verdict/verdict.ts';

/** What the report shows of all that was merged. */
type Measured = Pick<
  ReportTrial,
  'summary' | 'workers' | 'timeline' | 'stalls' | 'ledger' | 'hosts' | 'wire'
>;

/** What is kept of a trial while the journal is read: merged counts and histograms, not records. */
export class TrialReader {
  private readonly plan: TrialPlan;
  private readonly dnf: DnfSpec;
  private readonly asked: readonly AskedValue[];
  private merged: TimelineBuilder | undefined;
  private measured: Measured | undefined;
  private facts: ScriptFacts | undefined;
  private scriptError: ReportScript['firstError'];
  private started: TrialStartedRecord | undefined;
  private readonly shards = new Map<string, ShardRecord>();
  private readonly done = new Map<string, ShardDoneRecord>();
  /** What the first shard that is done was told by the target. */
  private server: string | undefined;
  private readonly lost = new Map<string, WorkerLostRecord>();
  private ended: TrialEndedRecord | undefined;
  private hosts = new HostsReader();
  private readonly hooks: ReportHook[] = [];

  /**
   * @param asked values of script metrics, beside what the script's own thresholds ask for
   * @param bySecond with latencies by the second
   */
  constructor(plan: TrialPlan, dnf: DnfSpec, asked: readonly AskedValue[], bySecond = true) {
    this.merged = new TimelineBuilder({ bySecond });
    this.plan = plan;
    this.dnf = dnf;
    this.asked = asked;
  }

  read(
    record:
      | ScriptRecord
      | ScriptLogRecord
      | TrialStartedRecord
      | IntervalRecord
      | ShardDoneRecord
      | WorkerLostRecord
      | HostJournalRecord
      | TrialEndedRecord,
  ): void {
    switch (record.type) {
      case 'script':
        this.facts = record.facts;
        break;
      case 'script-log':
        this.noteLog(record);
        break;
      case 'trial-started':
        this.started = record;
        for (const shard of record.shards) this.shards.set(shard.shard, shard);
        break;
      case 'interval':
        this.timeline.add(record.shard, record.seq, this.nameWorker(record.shard, record.interval));
        break;
      case 'shard-done':
        this.done.set(record.shard, record);
        this.server ??= record.server;
        break;
      case 'worker-lost':
        this.lost.set(record.shard, record);
        break;
      case 'trial-ended':
        this.ended = record;
        break;
      default:
        this.hosts.read(record);
    }
  }

  /** The whole log is for whoever looks into the journal. */
  private noteLog({ shard, text }: ScriptLogRecord): void {
    const message = firstErrorIn(text);
    if (message === undefined || this.scriptError !== undefined) return;
    this.scriptError = { worker: this.shards.get(shard)?.worker ?? shard, message };
  }

  /** Of this trial or its cell. */
  addHook({ type: _type, trials: _trials, ...hook }: HookRecord): void {
    this.hooks.push(hook);
  }

  get closed(): boolean {
    return this.measured !== undefined;
  }

  /** After its last record: takes out what the report shows, and lets go of the seconds that it comes from. */
  close(options: ReportOptions): void {
    this.measured ??= this.measure(options);
    this.merged?.close();
    this.merged = undefined;
    this.hosts = new HostsReader();
    this.shards.clear();
    this.done.clear();
  }

  /**
   * Once all hooks are known.
   * @param preflight what was found before the run
   */
  finish(options: ReportOptions, preflight: readonly Finding[] = []): ReportTrial {
    this.close(options);
    const { index, cell, round, target, requests, data, load, warmupUs, warmupRequests } = this.plan;
    const script = scriptOf(this.plan, this.facts, this.scriptError);
    const { summary, workers, timeline, stalls, ledger, hosts, wire } = this.measured!;
    const pools = poolsOf(workers);
    return withLimits({
      index,
      cell,
      round,
      ...(this.started === undefined
        ? {}
        : { startedAt: new Date(this.started.startUs / 1000).toISOString() }),
      ...this.state(summary),
      target,
      ...(this.server !== undefined && { server: this.server }),
      requests: requests.map(({ name, weight, method, url, headers, bodyBase64, bodySize }) => ({
        name,
        weight,
        method,
        url,
        ...(headers.length > 0 && { headersDigest: digestOf(headers) }),
        sendsBody: bodyBase64 !== undefined || bodySize !== undefined,
      })),
      ...(data !== undefined && { data: { rows: data.count, columns: data.columns } }),
      ...(script !== undefined && { script }),
      load,
      ...(warmupUs > 0 && { warmupUs }),
      ...(warmupRequests !== undefined && { warmupRequests }),
      workers,
      ...(pools !== undefined && { pools }),
      start: startOf(workers),
      summary,
      quantiles: undefined,
      timeline,
      stalls,
      ledger,
      hosts,
      ...(wire !== undefined && { wire }),
      verdict: verdictOf({
        ...{ load, summary, ledger, stalls, workers, hosts, wire, script },
        connectUs: shortestConnect(preflight, target.url),
      }),
      ...(this.hooks.length > 0 && { hooks: this.hooks }),
    });
  }

  private get timeline(): TimelineBuilder {
    if (this.merged === undefined) throw new Error(`trial ${this.plan.index} has been closed`);
    return this.merged;
  }

  private measure({ secondHistograms = false }: ReportOptions): Measured {
    const summary = summarize(this.timeline, this.durationUs(), [
      ...this.asked,
      ...askedByScript(this.facts),
    ]);
    const targetAddresses = [...Object.keys(summary.connections.byAddress), ...hostOf(this.plan.target.url)];
    const hosts = this.hosts.finish(summary.durationUs, targetAddresses);
    const wire = wireAccount(summary, hosts);
    return {
      summary,
      workers: [...this.shards.values()].map((shard) => this.worker(shard, summary)),
      timeline: timelineRows(this.timeline, secondHistograms),
      stalls: this.stalls(summary),
      ledger: this.ledger(),
      hosts,
      ...(wire !== undefined && { wire }),
    };
  }

  /**
   * Whole seconds only, and longer than a reply usually takes: to wait for a slow one is no stall. Where no reply came at
   * all, there is nothing that could have stalled.
   */
  private stalls({ durationUs, latency }: Summary): Stall[] {
    if (latency.count === 0) return [];
    const whole = Math.floor(durationUs / 1e6);
    const silent = Array.from(this.timeline.rows(), ({ counts, inFlight }) => isSilent(counts, inFlight));
    return stallsIn(silent.slice(0, whole)).filter(({ seconds }) => seconds * 1e6 > latency.p50);
  }

  private nameWorker(shard: string, interval: Interval): Interval {
    if (interval.firstErrors.length === 0) return interval;
    const worker = this.shards.get(shard)?.worker ?? shard;
    return { ...interval, firstErrors: interval.firstErrors.map((error) => ({ worker, ...error })) };
  }

  private state({
    requests,
    errors,
    script,
  }: Summary): Pick<ReportTrial, 'state' | 'dnf' | 'reason' | 'crossed'> {
    const firstErrors = errors.first;
    if (this.ended === undefined) {
      return {
        state: 'aborted',
        reason: 'the journal ends before the trial did: the coordinator was stopped',
      };
    }
    const { state, reason, crossed, firstErrors: before = [] } = this.ended;
    if (state === 'aborted') {
      return {
        state,
        reason: reason ?? 'no reason was recorded',
        ...(crossed === undefined ? {} : { crossed }),
      };
    }
    const judged =
      script === undefined
        ? judgeTrial({ completed: requests, failed: errors.total }, firstErrors, this.dnf)
        : judgeScript({ completed: requests, errors: errors.byClass, ...script }, firstErrors, this.dnf);
    if (state === 'dnf')
      return {
        state,
        dnf: { reason: reason ?? 'no reason was recorded', firstErrors: [...before, ...firstErrors] },
      };
    const failed = this.hooks.find(({ failure }) => failure !== undefined);
    if (failed !== undefined) return { state: 'dnf', dnf: { reason: failed.failure!, firstErrors } };
    if (judged.state === 'completed') return { state };
    return { state: 'dnf', dnf: { reason: judged.reason, firstErrors: judged.firstErrors } };
  }

  /**
   * When the last shard was over. A shard that never said so was last known to be at work at the end of its last
   * interval; that may be a part of a second, so it does not reach past the shards that did say, nor past the load.
   */
  private durationUs(): number {
    const said = [...this.done.values()].map(({ endUs }) => endUs);
    const cap = said.length > 0 ? Math.max(...said) : (this.plan.load.durationUs ?? Number.POSITIVE_INFINITY);
    const unsaid = this.shardIds()
      .filter((shard) => !this.done.has(shard))
      .map((shard) => Math.min(cap, ((this.timeline.arrivals(shard)?.lastSecond ?? -1) + 1) * 1e6));
    return Math.max(0, ...said, ...unsaid);
  }

  private worker(shard: ShardRecord, summary: Summary): ReportWorker {
    const done = this.done.get(shard.shard);
    const lost = done === undefined ? this.lost.get(shard.shard) : undefined;
    const counts = this.timeline.arrivals(shard.shard)?.counts ?? emptyCounts();
    const { completed: requests, threadCpuUs, bytesReceived } = counts;
    const perSecond = (count: number): number =>
      summary.durationUs > 0 ? (count * 1e6) / summary.durationUs : 0;
    const threadLoads = done?.threadLoads?.map(threadOf);
    return {
      name: shard.worker,
      ...(shard.pool !== undefined && { pool: shard.pool }),
      hostname: shard.hostname,
      ...(shard.connections === undefined ? {} : { connections: shard.connections }),
      threads: shard.threads,
      clockOffsetUs: shard.clockOffsetUs,
      clockUncertaintyUs: shard.clockUncertaintyUs,
      ...(done?.firstRequestUs === undefined ? {} : { firstRequestUs: done.firstRequestUs }),
      ...(done === undefined
        ? {}
        : { cpu: cpuOf(done.cpuSeconds, done.endUs), residentBytes: done.residentBytes }),
      ...(threadCpuUs === 0 || done === undefined
        ? {}
        : { threadCpu: threadCpuUs / Math.max(1, done.endUs) }),
      ...(threadLoads !== undefined && { threadLoads }),
      requests,
      share: summary.requests === 0 ? 0 : requests / summary.requests,
      expectedShare: this.expectedShare(shard),
      requestRate: perSecond(requests),
      transferRate: perSecond(bytesReceived),
      ...(shard.capacity !== undefined && { capacity: shard.capacity }),
      ...(shard.maxRate !== undefined && { maxRate: shard.maxRate }),
      ...(done?.held !== undefined && { held: done.held }),
      ...this.scriptShare(shard.shard),
      ...(lost === undefined ? {} : { lost: { atUs: lost.atUs, reason: lost.reason } }),
    };
  }

  private expectedShare(shard: ShardRecord): number {
    const shards = [...this.shards.values()];
    const shareBy = (of: (one: ShardRecord) => number | undefined): number | undefined => {
      const all = shards.map(of);
      const sum = all.reduce<number>((total, one) => total + (one ?? 0), 0);
      return all.includes(undefined) || sum === 0 ? undefined : of(shard)! / sum;
    };
    return (
      shareBy(({ planned }) => planned) ?? shareBy(({ connections }) => connections) ?? 1 / shards.length
    );
  }

  private scriptShare(shard: string): Pick<ReportWorker, 'vus' | 'iterations' | 'exit' | 'warnings'> {
    const { script } = this.timeline;
    const iterations = script.iterationsOf(shard);
    const { exit: ended, warnings = [] } = this.done.get(shard) ?? {};
    const { expected = true, ...exit } = ended ?? {};
    return {
      ...(iterations !== undefined && { vus: script.mostVusOf(shard), iterations }),
      ...(!expected && { exit }),
      ...(warnings.length > 0 && { warnings }),
    };
  }

  private ledger(): Ledger {
    const shards = this.shardIds().map((shard) => {
      const dispatched = this.shards.get(shard);
      const ledger = shardLedger({
        label: dispatched === undefined ? `shard ${shard}` : `${dispatched.worker}'s shard`,
        planned: dispatched?.planned,
        arrived: this.timeline.arrivals(shard),
        done: this.done.get(shard),
        lost: this.lost.has(shard),
      });
      if (dispatched !== undefined) return ledger;
      return {
        ...ledger,
        balanced: false,
        problems: [...ledger.problems, `shard ${shard} reported, but was never dispatched`],
      };
    });
    return mergeLedgers(shards, this.started?.planned);
  }

  /** Dispatched shards first; then any that only reported. */
  private shardIds(): string[] {
    return [...new Set([...this.shards.keys(), ...this.timeline.shardIds(), ...this.done.keys()])];
  }
}

/** A trial whose `quantiles` have their place among the others, and nothing in it. */
type WithoutLimits = Omit<ReportTrial, 'quantiles'> & { quantiles: undefined };

/** Only the json shows them, and to know them takes a tenth of all the rest: they are worked out when asked for. */
function withLimits(trial: WithoutLimits): ReportTrial {
  return Object.defineProperty(trial as Omit<ReportTrial, 'quantiles'>, 'quantiles', {
    enumerable: true,
    get(this: ReportTrial) {
      return quantileLimits(snapshotIn(this.summary.latency));
    },
  }) as ReportTrial;
}

function threadOf({ cpuUs, waitUs, lengthUs, fullUs }: ThreadLoad): ReportThread {
  return { cpu: cpuUs / lengthUs, waited: waitUs / lengthUs, full: fullUs / lengthUs };
}

/** To the target, of any worker. */
function shortestConnect(findings: readonly Finding[], url: string): number | undefined {
  const times = findings.flatMap(({ connect }) => (connect?.url === url ? [connect.us] : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** None where a script knows by itself where it goes. */
function hostOf(url: string): string[] {
  return url === '' ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}

/** Enough to tell headers apart that no report shows. */
function digestOf(headers: readonly (readonly [string, string])[]): string {
  return createHash('sha256').update(JSON.stringify(headers)).digest('hex').slice(0, 8);
}

function cpuOf(cpuSeconds: number, endUs: number): number {
  return endUs > 0 ? (cpuSeconds * 1e6) / endUs : 0;
}

function startOf(workers: readonly ReportWorker[]): ReportStart {
  const firsts = workers.flatMap(({ firstRequestUs }) => firstRequestUs ?? []);
  const [worst = 0, second = 0] = workers.map((worker) => worker.clockUncertaintyUs).sort((a, b) => b - a);
  const start = { clockUncertaintyUs: worst + second };
  if (firsts.length === 0) return start;
  const earliestUs = Math.min(...firsts);
  const latestUs = Math.max(...firsts);
  // One of several says nothing about how far they lie apart.
  const compared = firsts.length > 1 || workers.length === 1;
  return {
    ...(compared ? { firstRequestSpreadUs: latestUs - earliestUs } : {}),
    earliestUs,
    latestUs,
    ...start,
  };
}
