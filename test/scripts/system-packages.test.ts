import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { tempDirectory } from '../support/folders.ts';
import { loadScript, ROOT } from './load-script.ts';
import { type Ended, runNode } from './run-node.ts';

interface Installer {
  name: string;
}
interface Commands {
  refresh?: string[];
  alternatives: string[][];
}
const { installCommands, INSTALLERS } = await loadScript<{
  INSTALLERS: Installer[];
  installCommands(
    installer: Installer,
    program: string,
    who: { isRoot: boolean; hasSudo: boolean; hasTerminal: boolean },
  ): Commands | undefined;
}>('setup/system-packages.mjs');

const { ensureRedis } = await loadScript<{
  ensureRedis(env: NodeJS.ProcessEnv): Promise<{ url: string } | { program: string }>;
}>('setup/redis.mjs');

const ROOT_USER = { isRoot: true, hasSudo: false, hasTerminal: true };
const SUDOER = { isRoot: false, hasSudo: true, hasTerminal: true };
const SCRIPT = { isRoot: false, hasSudo: true, hasTerminal: false };
const NOBODY = { isRoot: false, hasSudo: false, hasTerminal: true };
const APT = 'env DEBIAN_FRONTEND=noninteractive apt-get';

describe('command lines', () => {
  const cases: [that: string, installer: string, who: typeof ROOT_USER, lines: string[] | undefined][] = [
    [
      'apt-get as root, after an update',
      'apt-get',
      ROOT_USER,
      [`${APT} update`, `${APT} install -y --no-install-recommends redis-server`],
    ],
    [
      'apt-get with sudo',
      'apt-get',
      SUDOER,
      [`sudo ${APT} update`, `sudo ${APT} install -y --no-install-recommends redis-server`],
    ],
    [
      'sudo cannot ask for a password without a terminal',
      'apt-get',
      SCRIPT,
      [`sudo -n ${APT} update`, `sudo -n ${APT} install -y --no-install-recommends redis-server`],
    ],
    ['neither root nor sudo', 'apt-get', NOBODY, undefined],
    [
      'dnf, and the package of newer Fedoras',
      'dnf',
      ROOT_USER,
      ['dnf install -y redis', 'dnf install -y valkey-compat-redis'],
    ],
    ['apk', 'apk', ROOT_USER, ['apk add redis']],
    ['brew never needs root', 'brew', NOBODY, ['brew install redis']],
  ];
  for (const [that, name, who, lines] of cases) {
    test(that, () => {
      const installer = INSTALLERS.find((known) => known.name === name)!;
      const commands = installCommands(installer, 'redis-server', who);
      const all = commands && [...(commands.refresh ? [commands.refresh] : []), ...commands.alternatives];
      assert.deepEqual(
        all?.map((line) => line.join(' ')),
        lines,
      );
    });
  }
});

/** A machine that has only the given programs: shell scripts by name. */
async function onMachineWith(
  t: TestContext,
  programs: Record<string, string>,
): Promise<Ended & { log: string }> {
  const directory = tempDirectory(t, {
    log: '',
    ...Object.fromEntries(
      Object.entries(programs).map(([name, script]) => [
        `bin/${name}`,
        `#!/bin/sh\nHERE=${'$'}{0%/*}\n${script}\n`,
      ]),
    ),
  });
  mkdirSync(join(directory, 'bin'), { recursive: true });
  symlinkSync('/usr/bin/env', join(directory, 'bin/env'));
  const script = `
    import { main } from ${JSON.stringify(join(ROOT, 'scripts/setup/console.mjs'))};
    import { ensureRedis } from ${JSON.stringify(join(ROOT, 'scripts/setup/redis.mjs'))};
    await main(async () => { console.log(JSON.stringify(await ensureRedis())); });`;
  const ended = await runNode(['--input-type=module', '--eval', script], {
    env: { PATH: join(directory, 'bin') },
  });
  return { ...ended, log: readFileSync(join(directory, 'log'), 'utf8') };
}

const LOG_IT = 'echo "$(/usr/bin/basename $0) $@" >> $HERE/../log';
const SUDO = 'while [ "$1" = -n ]; do shift; done\nexec "$@"';
const INSTALLS = `${LOG_IT}\ncase "$*" in *redis*) printf '#!/bin/sh\\n' > $HERE/redis-server; /bin/chmod +x $HERE/redis-server;; esac`;

const { findProgram, searchPath } = await loadScript<{
  findProgram(name: string, path: string): string | undefined;
  searchPath(env: NodeJS.ProcessEnv): string;
}>('setup/console.mjs');
/** What every machine made here has all the same, from the directories that are searched besides PATH. */
const alwaysThere = ['redis-server', ...INSTALLERS.map((installer) => installer.name)].find(
  (name) => findProgram(name, searchPath({})) !== undefined,
);
const skip = alwaysThere !== undefined && `${alwaysThere} is in a directory that is always searched`;

describe('Redis on a machine', { skip }, () => {
  test('with redis-server nothing is done', async (t) => {
    const { code, log, stderr, stdout } = await onMachineWith(t, { 'redis-server': '', 'apt-get': LOG_IT });
    assert.deepEqual({ code, log, stderr }, { code: 0, log: '', stderr: '' });
    assert.match(stdout, /bin\/redis-server"}/);
  });

  test('without it, it is installed, and each command is said first', async (t) => {
    const { code, log, stderr } = await onMachineWith(t, { 'apt-get': INSTALLS, sudo: SUDO });
    assert.equal(code, 0, stderr);
    assert.equal(log, 'apt-get update\napt-get install -y --no-install-recommends redis-server\n');
    assert.match(
      stderr,
      /redis-server is not installed \(it carries the queue\); installing it with apt-get\n/,
    );
    assert.match(stderr, /» \$ .*apt-get update\n» \$ .*apt-get install/);
  });

  test('a refresh that fails does not keep it from being installed', async (t) => {
    const apt = `[ "$1" = update ] && exit 100\n${INSTALLS}`;
    const { code, stderr } = await onMachineWith(t, { 'apt-get': apt, sudo: SUDO });
    assert.equal(code, 0, stderr);
  });

  test('an installation that fails ends in one message that says what to type', async (t) => {
    const { code, stderr } = await onMachineWith(t, { 'apt-get': 'exit 100', sudo: SUDO });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /error: redis-server could not be installed \(above\)\n +By hand, as root: apt-get install/,
    );
  });

  test('no package manager is one message too', async (t) => {
    const { code, stderr } = await onMachineWith(t, {});
    assert.equal(code, 1);
    assert.match(stderr, /error: redis-server is not installed .* none of apt-get, dnf, apk or brew/);
  });
});

describe('REDIS_URL', () => {
  test('is used when something answers there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address() as { port: number };
    const url = `redis://:secret@127.0.0.1:${address.port}`;
    assert.deepEqual(await ensureRedis({ REDIS_URL: url }), { url });
    await new Promise((resolve) => server.close(resolve));
  });

  test('names the place, not the password, when nothing answers', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(ensureRedis({ REDIS_URL: `redis://:secret@127.0.0.1:${port}` }), (error: Error) => {
      assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port}, which cannot be reached`));
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });

  for (const url of ['http://127.0.0.1', 'not a url']) {
    test(`refuses ${url}`, async () => {
      await assert.rejects(ensureRedis({ REDIS_URL: url }), /not of the form redis:\/\//);
    });
  }
});
