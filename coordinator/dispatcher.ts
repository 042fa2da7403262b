/** Hands each worker its shard, durably and once, through the worker's own queue. */
import { Queue } from 'bullmq';
import { type ShardPlan, shardId } from '../shared/domain/run.ts';
import { shardsQueue } from '../shared/protocol/queues.ts';
import type { RedisConnection } from '../shared/protocol/redis-connection.ts';

export class Dispatcher {
  private readonly connection: RedisConnection;
  private readonly prefix: string;
  private readonly queues = new Map<string, Queue<ShardPlan>>();

  constructor(connection: RedisConnection, prefix: string) {
    this.connection = connection;
    this.prefix = prefix;
  }

  async dispatch(plan: ShardPlan): Promise<void> {
    await this.queue(plan.worker).add('shard', plan, {
      jobId: shardId(plan),
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: true,
    });
  }

  /** Takes back a shard that its worker has not taken yet, so that it is not carried out long after its trial. */
  async takeBack(worker: string, shard: string): Promise<void> {
    await this.queue(worker).remove(shard);
  }

  /** A worker that left for good leaves nothing behind in Redis. */
  async forget(worker: string): Promise<void> {
    const queue = this.queue(worker);
    this.queues.delete(worker);
    await queue.obliterate({ force: true });
    await queue.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
  }

  private queue(worker: string): Queue<ShardPlan> {
    let queue = this.queues.get(worker);
    if (queue === undefined) {
      queue = new Queue<ShardPlan>(shardsQueue(worker), {
        connection: this.connection,
        prefix: this.prefix,
      });
      // Every call rejects by itself when Redis is gone; without a listener the event would end the process.
      queue.on('error', () => {});
      this.queues.set(worker, queue);
    }
    return queue;
  }
}
