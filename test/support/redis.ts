/** A redis-server of a test's own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './nginx.ts';
import type { Cleanups } from './scope.ts';

/** Ends with the test. @returns its URL */
export async function startRedis(t: Cleanups, settings: readonly string[] = []): Promise<string> {
  const port = await freePort();
  const child = spawn(
    'redis-server',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', ...settings],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += data;
      if (output.includes('Ready to accept connections')) resolve();
    });
    exited.then(() => reject(new Error(`redis-server ended: ${output}`)));
  });
  return `redis://127.0.0.1:${port}`;
}
