/** `npm run check`: types, lint, format, import direction. All of them run, so that one call shows everything. */
import { join } from 'node:path';
import { main, run, say } from './setup/console.mjs';
import { ensurePackages, ROOT } from './setup.mjs';

const bin = (name) => join(ROOT, 'node_modules', '.bin', name);

/** What git ignores (results of a bench, journals) is not ours to lint; and a log file needs no colours. */
const BIOME = [
  'ci',
  '--error-on-warnings',
  '--vcs-enabled=true',
  '--vcs-client-kind=git',
  '--vcs-use-ignore-file=true',
  // It would pad every table to its widest cell.
  '--md-formatter-enabled=false',
  process.stderr.isTTY ? '--colors=force' : '--colors=off',
];

const CHECKS = [
  { name: 'types', command: bin('tsc'), args: ['-p', 'tsconfig.json', '--noEmit', '--incremental', 'false'] },
  { name: 'lint and format', command: bin('biome'), args: BIOME },
  {
    name: 'import direction',
    command: process.execPath,
    args: [join(ROOT, 'scripts', 'import-direction.mjs')],
  },
];

await main(async () => {
  await ensurePackages(ROOT);
  const failed = [];
  for (const { name, command, args } of CHECKS) {
    say(name);
    if ((await run(command, args, { cwd: ROOT })) !== 0) failed.push(name);
  }
  say(failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
