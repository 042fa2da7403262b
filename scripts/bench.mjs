/** `npm run bench`: sets up what is missing and runs the side-by-side measurement; arguments are passed on. */
import { join } from 'node:path';
import { main, run } from './setup/console.mjs';
import { ensureBuild, ensurePackages, ensureRedis, ROOT } from './setup.mjs';

await main(async (args) => {
  await ensurePackages(ROOT);
  await ensureRedis();
  await ensureBuild(ROOT);
  const bench = join(ROOT, 'dist', 'test', 'bench', 'bench.js');
  return run(process.execPath, ['--enable-source-maps', bench, ...args], { cwd: ROOT, stdio: 'inherit' });
});
