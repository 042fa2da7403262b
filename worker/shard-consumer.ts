/**
 * The worker's end of its queue `shards-<worker>`. A shard is taken once: one attempt, and a shard whose lock was lost
 * is failed, never handed out again (DESIGN rule 3).
 */
import { Worker as QueueWorker } from 'bullmq';
import type { ShardPlan } from '../shared/domain/run.ts';
import { messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { shardsQueue } from '../shared/protocol/queues.ts';
import { redisConnection } from '../shared/protocol/redis-connection.ts';

export interface ShardConsumerOptions {
  worker: string;
  redisUrl: string;
  queuePrefix: string;
  /** Carries the shard out; resolves when it is over. */
  run(plan: ShardPlan): Promise<void>;
  log: Logger;
}

export class ShardConsumer {
  private readonly queueWorker: QueueWorker<ShardPlan>;

  constructor({ worker, redisUrl, queuePrefix, run, log }: ShardConsumerOptions) {
    this.queueWorker = new QueueWorker<ShardPlan>(shardsQueue(worker), (job) => run(job.data), {
      connection: redisConnection(redisUrl),
      prefix: queuePrefix,
      concurrency: 1,
      maxStalledCount: 0,
      lockDuration: 30_000,
    });
    this.queueWorker.on('error', (error) => log.warn(`the queue: ${messageOf(error)}`));
  }

  ready(): Promise<unknown> {
    return this.queueWorker.waitUntilReady();
  }

  close(): Promise<void> {
    // Whatever was running has been ended by the life cycle; do not wait for Redis, it may be gone.
    return this.queueWorker.close(true);
  }
}
