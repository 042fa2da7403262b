/** `npm run bench`: sets up what is missing and runs the side-by-side measurement; arguments are passed on. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, searchPath } from './setup/console.mjs';
import { ensureBuild, ensurePackages, ensureRedis, ROOT } from './setup.mjs';

await main(async () => {
  await ensurePackages(ROOT);
  await ensureRedis();
  await ensureBuild(ROOT);
  // In this process, so that what ends this process (Ctrl-C, SIGTERM) cleans up after the measurement.
  process.env.PATH = searchPath();
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(join(ROOT, 'dist', 'test', 'bench', 'bench.js')).href);
});
