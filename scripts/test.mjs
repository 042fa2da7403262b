/**
 * `npm test`: sets up what is missing and runs all tests. Words after `--` choose test files by path:
 * `npm test -- report worker/` runs those whose path contains `report` or `worker/`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './setup/build.mjs';
import { findProgram, main, SetupError, say, searchPath } from './setup/console.mjs';
import { installProgram, systemInstaller } from './setup/system-packages.mjs';
import { ensureBuild, ensurePackages, ensureRedis, ROOT } from './setup.mjs';

/** Servers and clients that some tests compare with; those tests skip themselves where the program is missing. */
const TEST_PROGRAMS = {
  nginx: 'tests compare with its access log',
  ab: 'tests compare with its report',
  wrk: 'tests compare with its rates',
  h2load: 'tests compare with its latencies',
  apache2: 'the classic experiments measure it',
  'catalina.sh': 'the classic experiments measure Tomcat 10',
};

/** Test files that run at a time. */
const CONCURRENCY = 2;
/** These start whole labs and look at when things happen: they share the machine with nothing but their own load. */
const ALONE = /^(integration|lab|classic)[\\/]/;
/** No file may hang for longer; generous, since a slow machine is no failure. */
const FILE_TIMEOUT_MS = 300_000;

await main(async (filters) => {
  await ensurePackages(ROOT);
  await ensureRedis();
  await ensureTestPrograms();
  await ensureBuild(ROOT);
  const files = chooseFiles(filters);
  const alone = files.filter((file) => ALONE.test(relative(join(ROOT, 'dist', 'test'), file)));
  const together = files.filter((file) => !alone.includes(file));
  const first = together.length === 0 ? 0 : await runTests(together, CONCURRENCY);
  const second = alone.length === 0 ? 0 : await runTests(alone, 1);
  return first || second;
});

async function ensureTestPrograms() {
  for (const [program, why] of Object.entries(TEST_PROGRAMS)) {
    if (findProgram(program) !== undefined) continue;
    try {
      if (systemInstaller()?.name !== 'apt-get') throw new SetupError(`${program} is not installed (${why})`);
      await installProgram(program, why);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      say(`${error.message}; the tests that need ${program} will be skipped. ${error.hint ?? ''}`);
    }
  }
}

function chooseFiles(filters) {
  const all = filesBelow(join(ROOT, 'dist', 'test')).filter((file) => file.endsWith('.test.js'));
  const chosen = all.filter((file) => {
    const path = relative(join(ROOT, 'dist'), file);
    // A filter is written after the source tree's names: test/x.test.ts.
    return filters.length === 0 || filters.some((filter) => path.includes(filter.replace(/\.ts$/, '.js')));
  });
  if (chosen.length === 0) {
    throw new SetupError(
      filters.length === 0
        ? 'there is no test file in dist/test'
        : `no test file's path contains ${filters.join(' or ')}`,
    );
  }
  return chosen;
}

/** Runs the files and returns the exit code; a run in which no test was carried out is a failure. */
async function runTests(files, concurrency) {
  const directory = mkdtempSync(join(tmpdir(), 'broadside-test-'));
  const summaryFile = join(directory, 'summary.json');
  try {
    const args = [
      '--enable-source-maps',
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${fileURLToPath(new URL('./test-summary.mjs', import.meta.url))}`,
      `--test-reporter-destination=${summaryFile}`,
      ...files,
    ];
    const code = await exitOf(
      spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: testEnvironment() }),
    );
    const { executed, skipped } = JSON.parse(readFileSync(summaryFile, 'utf8'));
    if (skipped.length > 0) say(`skipped ${skipped.length}:`);
    for (const { name, reason } of skipped) say(`  ${name}: ${reason}`);
    if (executed === 0) throw new SetupError(`no test was executed in ${files.length} test files`);
    return code;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Tests find nginx in /usr/sbin whoever runs them; a test runner that runs this one is not to be reported to. */
function testEnvironment() {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  return { ...environment, PATH: searchPath() };
}

function exitOf(child) {
  // Ctrl-C reaches the tests by the terminal; this process stays to clean up after them.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
