/**
 * Sets up what a fresh clone lacks, each thing only when it is missing, and says so before it does it:
 * npm packages, a Redis, the build. Used by the other scripts; by itself (`node scripts/setup.mjs`) it does all three.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuild } from './setup/build.mjs';
import { main } from './setup/console.mjs';
import { ensurePackages } from './setup/npm-packages.mjs';
import { ensureRedis } from './setup/redis.mjs';

/** The repository's top directory. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export { ensureBuild, ensurePackages, ensureRedis };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await ensurePackages(ROOT);
    await ensureRedis();
    await ensureBuild(ROOT);
  });
}
