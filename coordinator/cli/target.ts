/** `coordinator target`: a small HTTP target for demos and tests, until SIGTERM or Ctrl-C. */
import { once } from 'node:events';
import { Command } from 'commander';
import { parseHost, parsePort } from './options.ts';

export function targetCommand(): Command {
  return new Command('target')
    .description('serve a small HTTP target for demos and tests')
    .option('--host <host>', 'address to listen on', parseHost, '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes any free one', parsePort, 8080)
    .addHelpText('after', PATHS)
    .action(serve);
}

const PATHS = `
Paths:
  GET  /              25 bytes
  GET  /bytes/N       N bytes: /bytes/4096, /bytes/64KiB
  POST /echo          the request's body
  POST /stall?for=1s  no reply begins until the time is over
  GET  /requests      what was served, as JSON
The first two take ?delay=100ms, jitter=20ms, status=503, errorRate=0.01, chunked=1, close=1.`;

async function serve(options: { host: string; port: number }): Promise<void> {
  const stop = new AbortController();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, () => stop.abort());
  const { startTarget } = await import('../target.ts');
  const target = await startTarget(options);
  process.stdout.write(`Broadside target on ${target.url}\n`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
  await target.close();
}
