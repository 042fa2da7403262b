/**
 * A load thread: builds its engine, says that it is ready, waits for the start instant, drives its share of the
 * load, and posts an interval a second. The worker's main thread never touches the hot path, so the queue's lock and
 * the websocket are served however busy the load is.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { clockFrom } from '../shared/clock.ts';
import { createAllowList } from '../shared/domain/allow-list.ts';
import { isOpenLoop } from '../shared/domain/load-plan.ts';
import { warmupLeadUs } from '../shared/domain/run.ts';
import { connectionsOf, plannedRequests } from '../shared/domain/shard.ts';
import { messageOf } from '../shared/errors.ts';
import type { Engine } from './engine/engine.ts';
import { ENGINES } from './engine/engines.ts';
import { CappedEngine } from './executor/capped-engine.ts';
import { createExecutor } from './executor/create-executor.ts';
import type { Executor, ScheduleSink } from './executor/executor.ts';
import { callAt } from './executor/wait-until.ts';
import { Recorder } from './recorder.ts';
import { warmupLoad } from './schedule/warmup-load.ts';
import { resolveTarget } from './target-addresses.ts';
import { watchLoopDelay } from './thread-load.ts';
import type { FromThread, ThreadPlan, ToThread } from './thread-messages.ts';

/** How late an interval may be handed on when no sample comes that would close its second. */
const CLOSE_SECONDS_EVERY_MS = 100;

const port = parentPort!;
const plan = workerData as ThreadPlan;
const clock = clockFrom(plan.epochBaseUs);
const recorder = new Recorder({
  openLoop: isOpenLoop(plan.load),
  requestNames: plan.requests.map(({ name }) => name),
  onInterval: (interval) => post({ type: 'interval', interval }),
});

/** The warm-up is never in the numbers. */
const UNRECORDED: ScheduleSink = { dropped: () => {}, late: () => {} };

let executor: Executor | undefined;
let stopped = false;

function post(message: FromThread): void {
  port.postMessage(message);
}

function openEngine(): Promise<Engine> {
  const { requests, transport, localAddresses, allow } = plan;
  const allowList = createAllowList(allow);
  return ENGINES[plan.engine]!({
    requests: plan.requests,
    startAt: plan.thread,
    ...(plan.data !== undefined && { data: plan.data }),
    addresses: plan.addresses,
    ...(transport?.dns === 'per-connection' && {
      lookup: () => resolveTarget(requests[0]!.url, allowList),
    }),
    localAddresses,
    ...(transport?.tls !== undefined && { tls: transport.tls }),
    slots: connectionsOf(plan.load),
    keepAlive: plan.load.keepAlive,
    clock,
    sink: recorder,
    onFree: (slot) => executor?.onFree(slot),
  });
}

async function drive(opened: Engine, atUs: number): Promise<void> {
  const startUs = atUs + warmupLeadUs(plan);
  const engine = startUs > atUs ? await warmUpUntil(opened, atUs, startUs) : opened;
  executor = createExecutor(plan.load, clock, recorder);
  recorder.begin(startUs);
  const endWatch = watchLoopDelay(clock, (us) => recorder.loopDelayed(us));
  const closing = setInterval(() => recorder.closeSecondsUntil(clock.now()), CLOSE_SECONDS_EVERY_MS);
  const capped = underCap(engine, startUs);
  const running = executor.run(capped ?? engine, startUs);
  if (stopped) executor.stop();
  const { endUs } = await running;
  const neverSent = capped?.stop() ?? 0;
  // Where nothing was promised, nothing is missing.
  if (neverSent > 0 && plannedRequests(plan.load) !== undefined) recorder.dropped(neverSent);
  clearInterval(closing);
  endWatch();
  const { inFlight, server } = engine;
  engine.close();
  recorder.closeSecondsUntil(Math.min(startUs + endUs, clock.now()));
  const totals = { ...recorder.end(), inFlight, endUs: Math.round(endUs) };
  const { threadLoad } = recorder;
  const held = capped && { held: capped.held };
  const more = {
    ...held,
    ...(server !== undefined && { server }),
    ...(threadLoad !== undefined && { threadLoad }),
  };
  post({ type: 'done', totals: { ...totals, ...more } });
}

function underCap(engine: Engine, startUs: number): CappedEngine | undefined {
  return plan.cap === undefined ? undefined : new CappedEngine(engine, plan.cap, clock, startUs);
}

async function warmUpUntil(engine: Engine, atUs: number, startUs: number): Promise<Engine> {
  await runWarmup(engine, atUs);
  if (!stopped) await new Promise<void>((resolve) => callAt(clock, startUs - 50_000, resolve));
  return settled(engine);
}

/** A thread whose share is no request at all is warm at once. */
async function warmUpNow(engine: Engine): Promise<Engine> {
  if (plan.warmupRequests !== 0) await runWarmup(engine, clock.now());
  return settled(engine);
}

async function runWarmup(engine: Engine, atUs: number): Promise<void> {
  executor = createExecutor(warmupLoad(plan.load, plan.warmupUs, plan.warmupRequests), clock, UNRECORDED);
  const capped = underCap(engine, atUs);
  const warming = executor.run(capped ?? engine, atUs);
  if (stopped) executor.stop();
  await warming;
  capped?.stop();
}

/**
 * Connections stay open for the measurement, but a request still in flight at the start instant would finish inside it:
 * then all connections are dropped and the measurement opens its own.
 */
async function settled(engine: Engine): Promise<Engine> {
  if (engine.inFlight === 0) return engine;
  engine.close();
  return openEngine();
}

try {
  let engine = await openEngine();
  const fail = (error: unknown): void => post({ type: 'failed', reason: messageOf(error) });
  port.on('message', (message: ToThread) => {
    switch (message.type) {
      case 'warm-up':
        warmUpNow(engine).then((warm) => {
          engine = warm;
          post({ type: 'warm' });
        }, fail);
        break;
      case 'start':
        drive(engine, message.atUs).then(() => port.close(), fail);
        break;
      case 'stop':
        stopped = true;
        executor?.stop();
    }
  });
  post({ type: 'ready' });
} catch (error) {
  post({ type: 'failed', reason: messageOf(error) });
}
