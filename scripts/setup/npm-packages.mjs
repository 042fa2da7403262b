/** The npm packages: installed when they are missing or not those of package-lock.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, SetupError, say } from './console.mjs';

/**
 * What keeps the installed packages from being the lock file's, or undefined when they are. npm writes its own record
 * last (`node_modules/.package-lock.json`), so an installation that was broken off has none.
 */
export function packagesProblem(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (wanted === undefined) throw new SetupError(`${join(root, 'package-lock.json')} is missing or not JSON`);
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return 'the npm packages are not installed yet';
  for (const [path, entry] of Object.entries(wanted)) {
    // Optional ones may be for another system or processor.
    if (path === '' || entry.optional || entry.link) continue;
    const name = path.replace(/^.*node_modules\//, '');
    const found = installed[path];
    if (found === undefined) return `the npm package ${name} is missing`;
    if (found.version !== entry.version || found.integrity !== entry.integrity) {
      return `the npm package ${name} is ${found.version}, package-lock.json wants ${entry.version}`;
    }
  }
  return undefined;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Runs `npm ci` when the packages are not those of package-lock.json. */
export async function ensurePackages(root) {
  const problem = packagesProblem(root);
  if (problem === undefined) return;
  say(`${problem}: npm ci`);
  const code = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root });
  if (code !== 0)
    throw new SetupError('npm ci failed (above)', 'Check the network, then run the command again.');
}
