/**
 * The life of a worker: it joins a coordinator, takes shards from its queue, drives them, and leaves in order.
 *
 * join → welcome → (shard taken → ready → start → load → done)* → drain → goodbye
 */
import type { AllowList } from '../shared/domain/allow-list.ts';
import { type ShardPlan, shardId } from '../shared/domain/run.ts';
import { TARGET_VARIABLE } from '../shared/domain/script-plan.ts';
import { messageOf } from '../shared/errors.ts';
import type { K6Binary } from '../shared/k6-binary.ts';
import type { AskPreflight, ShardReport, Welcome } from '../shared/protocol/messages.ts';
import { calibrate } from './calibration/calibrate.ts';
import { keepCapacity, keptCapacity } from './calibration/capacity-file.ts';
import { readCapabilities } from './capabilities.ts';
import { ENGINES } from './engine/engines.ts';
import { K6Shard } from './engine/k6/k6-shard.ts';
import { ScriptCache } from './engine/k6/script-cache.ts';
import { checkMaxRate } from './max-rate.ts';
import { type MemberOptions, Membership } from './membership.ts';
import { preflightFacts } from './preflight.ts';
import { ShardConsumer } from './shard-consumer.ts';
import { ShardRunner } from './shard-runner.ts';
import { AddressError, resolveTarget } from './target-addresses.ts';

/** Within which a target must take a connection to count as reachable. */
const PREFLIGHT_CONNECT_MS = 2_000;

export interface WorkerOptions extends MemberOptions {
  pool: string;
  allowList: AllowList;
  /** Addresses of this machine that connections come from, in turn; none leaves it to the system. */
  localAddresses: string[];
  /** Load threads a shard, when the scenario does not say. */
  threads: number;
  /** Its share of a load beside those of others. */
  weight: number;
  /** The most requests a second that it sends. */
  maxRate?: number | undefined;
  /** For scripts, where there is one. */
  k6?: K6Binary | undefined;
}

export class WorkerProcess {
  private readonly options: WorkerOptions;
  private readonly membership: Membership;
  private consumer: ShardConsumer | undefined;
  /** Where its queue is. */
  private consumerOf = '';
  private readonly scripts: ScriptCache;
  private runner: ShardRunner | K6Shard | undefined;
  private capacity = keptCapacity();
  /**
   * Settles when no shard is under way. A coordinator that comes back with another queue can hand over the next one while the
   * last one's threads still end: one after another, whichever queue they come from.
   */
  private shards: Promise<void> = Promise.resolve();
  /** Settles when no calibration is under way. */
  private calibrated: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions) {
    this.options = options;
    const { coordinator, token, ca, pool, threads, k6, weight, maxRate } = options;
    this.membership = new Membership(options, { role: 'worker', pool }, () => ({
      capabilities: readCapabilities(threads, Object.keys(ENGINES), k6, {
        ...(this.capacity && { capacity: this.capacity }),
        weight,
        ...(maxRate !== undefined && { maxRate }),
      }),
      shards: this.runner === undefined ? [] : [{ shard: this.runner.shard, started: this.runner.started }],
    }));
    this.scripts = new ScriptCache({ coordinator, token, ca });
    const { link } = this.membership;
    link.on('welcome', (welcome) => this.onWelcome(welcome));
    link.on('warm-up', ({ shard }) => {
      if (this.runner?.shard === shard && this.runner instanceof ShardRunner) this.runner.warmUp();
    });
    link.on('set-up', (message) => this.scriptShard(message.shard)?.setUp(message));
    link.on('finish', (message) => this.scriptShard(message.shard)?.finish(message));
    link.on('start', ({ shard, atUs }) => {
      if (this.runner?.shard === shard) this.runner.start(atUs);
    });
    link.on('stop', ({ shard, reason }) => {
      if (this.runner?.shard === shard) this.runner.stop(reason);
    });
    link.on('preflight', (message) => this.preflight(message));
    link.on('lease-expired', () => {
      this.runner?.stop('nothing was heard from the coordinator for the whole lease', true);
    });
  }

  /** Rejects when the coordinator refuses this worker; otherwise resolves when the worker has left. */
  get left(): Promise<void> {
    return this.membership.left;
  }

  join(): void {
    this.membership.join();
  }

  /** Stops the load, sends what was measured, says goodbye. */
  async leave(reason: string): Promise<void> {
    const endLoad = async (): Promise<void> => {
      this.runner?.stop(`worker ${this.options.name} leaves: ${reason}`, true);
      await this.runner?.finished;
    };
    await this.membership.leave(reason, endLoad, async () => this.consumer?.close().catch(() => {}));
  }

  private onWelcome(welcome: Welcome): void {
    const { name, pool, coordinator, log } = this.options;
    const { queuePrefix } = welcome;
    const redisUrl = welcome.redisUrl.replace('{host}', coordinator.hostname);
    const queue = `${queuePrefix} ${redisUrl}`;
    if (this.membership.leaving || queue === this.consumerOf) return;
    log.info(`worker ${name} joined ${coordinator.origin}, pool ${pool}`);
    this.consumerOf = queue;
    this.consumer?.close().catch((error) => log.warn(messageOf(error)));
    this.consumer = new ShardConsumer({
      worker: name,
      redisUrl,
      queuePrefix,
      log,
      run: (plan) => {
        this.shards = this.shards.then(() => this.runShard(plan));
        return this.shards;
      },
    });
  }

  private async preflight({ ask, urls, calibrate }: AskPreflight): Promise<void> {
    const { allowList, localAddresses } = this.options;
    if (calibrate === true && this.runner === undefined) {
      this.calibrated = this.calibrated.then(() => this.calibrate());
      await this.calibrated;
    }
    const facts = await preflightFacts(urls, allowList, localAddresses, PREFLIGHT_CONNECT_MS);
    const { capacity } = this;
    this.membership.link.send({ type: 'preflight', ask, facts: { ...facts, ...(capacity && { capacity }) } });
  }

  private async calibrate(): Promise<void> {
    try {
      this.capacity = await calibrate();
      keepCapacity(this.capacity);
    } catch (error) {
      this.options.log.warn(messageOf(error));
    }
  }

  private scriptShard(shard: string): K6Shard | undefined {
    const { runner } = this;
    return runner instanceof K6Shard && runner.shard === shard ? runner : undefined;
  }

  /** @throws AddressError when the target is not allowed, or not known; BroadsideError for more than the rate cap */
  private async runnerFor(plan: ShardPlan): Promise<ShardRunner | K6Shard> {
    const { allowList, threads, localAddresses, k6, maxRate } = this.options;
    checkMaxRate(plan, maxRate);
    const report = (told: ShardReport): void => this.membership.publish(told);
    const { load } = plan;
    if (load.executor === 'script') {
      // Where else a script goes is its own affair; the target that it was given is this worker's.
      const target = plan.k6?.env[TARGET_VARIABLE];
      if (target !== undefined && URL.canParse(target)) await resolveTarget(target, allowList);
      return new K6Shard({ plan, binary: k6, scripts: this.scripts, report });
    }
    const addresses = await resolveTarget(plan.requests[0]!.url, allowList);
    return new ShardRunner({
      plan: { ...plan, load },
      addresses,
      localAddresses,
      allowList,
      defaultThreads: threads,
      maxRate,
      report,
    });
  }

  private async runShard(plan: ShardPlan): Promise<void> {
    const { log } = this.options;
    const shard = shardId(plan);
    try {
      await this.calibrated;
      const runner = await this.runnerFor(plan);
      this.runner = runner;
      runner.prepare();
      if (this.membership.leaving) runner.stop('the worker is leaving');
      await runner.finished;
      log.info(`shard ${shard} is over`);
    } catch (error) {
      this.membership.publish({
        type: 'shard-failed',
        shard,
        reason: messageOf(error),
        ...(error instanceof AddressError && { errorClass: error.errorClass }),
      });
    } finally {
      this.runner = undefined;
    }
  }
}
