/** Thread entry: a k6 process and the reading of its samples, so that the worker's main thread is never kept from its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { K6Run } from './k6-run.ts';
import type { FromK6Thread, K6ThreadPlan, ToK6Thread } from './messages.ts';

const port = parentPort!;
const run = new K6Run(workerData as K6ThreadPlan, (message: FromK6Thread) => {
  port.postMessage(message);
  if (message.type === 'done' || message.type === 'failed') port.close();
});
port.on('message', (message: ToK6Thread) => run.on(message));
await run.prepare();
