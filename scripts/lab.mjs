/**
 * `npm run lab`: sets up what is missing, then a lab of several machines on this one (network namespaces on a switch of
 * 100 Mbit/s), a scenario run in it, and the report. Arguments are passed on; `npm run lab -- --help` has them.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, SetupError, searchPath } from './setup/console.mjs';
import { ensureBuild, ensurePackages, ensureRedis, ROOT } from './setup.mjs';

await main(async () => {
  if (process.platform !== 'linux' || process.getuid() !== 0) {
    throw new SetupError(
      'the lab makes network namespaces, which only root on Linux may',
      'As root on Linux: npm run lab. Elsewhere: npm run demo, or machines of your own (docs/lab.md).',
    );
  }
  await ensurePackages(ROOT);
  await ensureRedis({ PATH: process.env.PATH });
  await ensureBuild(ROOT);
  // In this process, so that what ends it (Ctrl-C, SIGTERM) takes the lab down.
  process.env.PATH = searchPath();
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(join(ROOT, 'dist', 'test', 'lab', 'main.js')).href);
});
