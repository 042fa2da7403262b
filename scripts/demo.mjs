/**
 * `npm run demo`: sets up what is missing, then a whole lab on this machine, every part a process of its own: a
 * coordinator with its Redis, two workers and a target; scenarios/demo.yaml through the queue, and the merged report.
 * Words after `--` go to `coordinator run`: `npm run demo -- --format json`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Processes } from './demo/processes.mjs';
import { main, say, searchPath } from './setup/console.mjs';
import { ensureBuild, ensurePackages, ensureRedis, ROOT } from './setup.mjs';

/** Exit codes of a run whose report says all: a threshold was crossed, or Ctrl-C. */
const SAYS_IT_ITSELF = [99, 130];
const WORKERS = ['demo-1', 'demo-2'];

/** A command of the two bins, which a person starts with `npx` in a clone. */
function command(bin, args) {
  return { shown: ['npx', bin, ...args].join(' '), file: join(ROOT, 'dist', bin, 'main.js'), args };
}

await main(async (args) => {
  await ensurePackages(ROOT);
  const redis = await ensureRedis();
  await ensureBuild(ROOT);
  const directory = mkdtempSync(join(tmpdir(), 'broadside-demo-'));
  const processes = new Processes({ cwd: ROOT, env: { ...process.env, PATH: searchPath() } });
  // After `processes`, which kills at exit what still runs and writes.
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  try {
    const code = await demo(processes, redis, directory, args);
    if (code !== 0 && !SAYS_IT_ITSELF.includes(code)) processes.printLogs();
    return code;
  } catch (error) {
    processes.printLogs();
    throw error;
  } finally {
    say('stopping target, workers and coordinator');
    await processes.stopAll();
  }
});

async function demo(processes, redis, directory, args) {
  say(`the coordinator, with ${redis.url === undefined ? 'a Redis of its own' : 'the Redis of REDIS_URL'}:`);
  const start = command('coordinator', ['start', '--port', '0', '--data', directory]);
  const coordinator = await processes.startServer(start);
  say('two workers; on other machines the same line, with a token:');
  for (const name of WORKERS) {
    processes.start(command('worker', ['start', '--coordinator', coordinator, '--name', name]));
  }
  say('something to aim at:');
  const target = await processes.startServer(command('coordinator', ['target', '--port', '0']));
  say('and the run:');
  const scenario = ['scenarios/demo.yaml', '--coordinator', coordinator, '--set', `targets.demo=${target}`];
  return processes.run(command('coordinator', ['run', ...scenario, ...args]));
}
