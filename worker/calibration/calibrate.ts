/**
 * What one load thread of this machine reaches with a core to itself: the same code as for a shard, a closed loop of
 * keep-alive connections, against a responder in a thread of this process. No target does less for a request, so no load
 * of this kind gets more out of a load thread. Larger replies, new connections and TLS cost more.
 */
import { once } from 'node:events';
import { Worker as Thread } from 'node:worker_threads';
import { clock } from '../../shared/clock.ts';
import { createAllowList } from '../../shared/domain/allow-list.ts';
import type { ShardDone, WorkerReport } from '../../shared/protocol/messages.ts';
import type { Capacity } from '../../shared/protocol/worker-facts.ts';
import { ShardRunner } from '../shard-runner.ts';

const RESPONDER = new URL('./responder.js', import.meta.url);
const CONNECTIONS = 32;
const WARMUP_US = 500_000;
const DURATION_US = 2_000_000;
/** Between `start` and the load: threads take the message on their own time. */
const LEAD_US = 20_000;

/** Takes about three seconds, and two cores where it gets them. @throws Error when the load could not be carried out */
export async function calibrate(): Promise<Capacity> {
  const responder = new Thread(RESPONDER, { name: 'calibration' });
  try {
    const [port] = (await once(responder, 'message')) as [number];
    return capacityOf(await load(port));
  } finally {
    await responder.terminate();
  }
}

function load(port: number): Promise<ShardDone> {
  return new Promise((resolve, reject) => {
    const report = (told: WorkerReport): void => {
      if (told.type === 'shard-ready') runner.start(clock.now() + LEAD_US);
      else if (told.type === 'shard-done') resolve(told);
      else if (told.type === 'shard-failed') reject(new Error(`the calibration failed: ${told.reason}`));
    };
    const runner = new ShardRunner({
      plan: {
        runId: 'calibration',
        trial: 0,
        shard: { index: 0, count: 1 },
        worker: '',
        threads: 1,
        engine: 'http',
        requests: [
          {
            name: 'request',
            weight: 1,
            method: 'GET',
            url: `http://127.0.0.1:${port}/`,
            headers: [],
            timeoutUs: 10_000_000,
            connectTimeoutUs: 5_000_000,
          },
        ],
        load: {
          executor: 'constant-connections',
          connections: CONNECTIONS,
          durationUs: DURATION_US,
          keepAlive: true,
        },
        warmupUs: WARMUP_US,
      },
      addresses: ['127.0.0.1'],
      localAddresses: [],
      allowList: createAllowList([]),
      defaultThreads: 1,
      report,
    });
    runner.prepare();
  });
}

/** For each second on a core, whoever else wanted the core; of the time that passed where the system does not tell. */
function capacityOf({ totals, endUs, threadLoads }: ShardDone): Capacity {
  const [thread] = threadLoads ?? [];
  const rate = (totals.completed * 1e6) / endUs;
  const cpu = thread === undefined ? 1 : thread.cpuUs / thread.lengthUs;
  return { threadRate: Math.round(rate / Math.min(1, cpu)), measuredUs: Math.round(clock.now()) };
}
