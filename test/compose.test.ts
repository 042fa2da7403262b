import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { ROOT } from './scripts/load-script.ts';
import { helpOf, unknownFlags } from './support/cli-help.ts';

interface Service {
  image: string;
  build?: { context: string; target: string; args?: Record<string, string> };
  command?: string;
  environment?: Record<string, string>;
  volumes?: string[];
  configs?: { source: string }[];
  depends_on?: string[] | Record<string, unknown>;
  deploy?: { replicas: number };
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  configs: Record<string, unknown>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const compose = parse(read('docker-compose.yml')) as Compose;
const dockerfile = read('Dockerfile').replace(/\\\n/g, ' ');
const ours = Object.entries(compose.services).filter(([, service]) => service.image.startsWith('broadside'));

function tempDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'broadside-compose-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('docker-compose.yml', () => {
  test('has redis, coordinator, two workers and a target', () => {
    assert.deepEqual(Object.keys(compose.services).sort(), ['coordinator', 'redis', 'target', 'worker']);
    assert.equal(compose.services.worker!.deploy?.replicas, 2);
  });

  for (const [name, { command, environment }] of ours) {
    test(`${name}: its command and flags exist`, () => assert.deepEqual(unknownFlags(command!), []));

    test(`${name}: its variables are those of the command`, () => {
      const help = helpOf(...(command!.split(' ').slice(0, 2) as [string, string]));
      for (const variable of Object.keys(environment ?? {})) {
        assert.ok(help.includes(`$${variable}`), `${variable} is not in the help`);
      }
    });
  }

  test('everything that a service refers to is there', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      const dependencies = service.depends_on ?? [];
      for (const other of Array.isArray(dependencies) ? dependencies : Object.keys(dependencies)) {
        assert.ok(other in compose.services, `${name} depends on ${other}`);
      }
      for (const volume of service.volumes ?? []) assert.ok(volume.split(':')[0]! in compose.volumes, volume);
      for (const { source } of service.configs ?? []) assert.ok(source in compose.configs, source);
    }
    const urls = JSON.stringify(ours).matchAll(/\/\/(\w+):\d+/g);
    for (const [, host] of urls) assert.ok(host! in compose.services, host);
  });

  test('a real redis-server takes the flags, keeps a file and never evicts', {
    timeout: 20_000,
  }, async (t) => {
    const directory = tempDirectory(t);
    const socket = join(directory, 'redis.sock');
    const [program, ...args] = compose.services
      .redis!.command!.split(' ')
      .map((word) => word.replaceAll('"', ''));
    const server = spawn(program!, [...args, '--port', '0', '--unixsocket', socket, '--dir', directory]);
    t.after(() => server.kill('SIGKILL'));
    await isReady(server);
    const redis = new Redis({ path: socket });
    t.after(() => redis.disconnect());
    for (const [setting, value] of [
      ['appendonly', 'yes'],
      ['maxmemory-policy', 'noeviction'],
      ['save', ''],
    ]) {
      assert.deepEqual(await redis.config('GET', setting!), [setting, value]);
    }
  });
});

async function isReady(server: ChildProcess): Promise<void> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout! })) {
    if (/ready to accept connections/i.test(line)) return;
    lines.push(line);
  }
  throw new Error(`redis-server ended:\n${lines.join('\n')}`);
}

describe('Dockerfile', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
    match[1]!.split(' '),
  );

  test('everything that it copies exists and passes .dockerignore', () => {
    assert.ok(copied.length > 5);
    const allowed = read('.dockerignore').split('\n');
    for (const path of copied) {
      assert.ok(existsSync(join(ROOT, path)), path);
      assert.ok(allowed.includes(`!${path}`), `${path} is kept out by .dockerignore`);
    }
  });

  test('its stages are those that the services are built from, with the same k6', () => {
    const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\w+)$/gm)].map((match) => match.slice(1, 3));
    assert.deepEqual(stages, [
      ['node:20-bookworm-slim', 'build'],
      ['node:20-bookworm-slim', 'lab'],
      ['${K6_IMAGE}', 'k6'],
      ['lab', 'worker'],
    ]);
    const builds = ours.map(([, { build }]) => build);
    assert.deepEqual(
      builds.map((build) => [build?.context, build?.target]),
      [
        ['.', 'lab'],
        ['.', 'worker'],
      ],
    );
    const [, image] = /^ARG K6_IMAGE=(\S+)$/m.exec(dockerfile)!;
    assert.equal(builds[1]?.args?.K6_IMAGE, `\${K6_IMAGE:-${image}}`);
    // An argument before the first stage is known to FROM alone.
    assert.ok(dockerfile.indexOf('ARG K6_IMAGE') < dockerfile.indexOf('FROM '));
  });

  test('the worker has k6 in its PATH, where it looks for one', () => {
    assert.match(dockerfile, /^COPY --from=k6 \/usr\/bin\/k6 \/usr\/local\/bin\/k6$/m);
    assert.match(helpOf('worker', 'start'), /k6\s+in\s+the\s+PATH/);
  });

  test('what its last stage takes from the first is made there', () => {
    const fromBuild = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+) /gm)].map((match) => match[1]);
    assert.deepEqual(fromBuild, ['package.json', 'node_modules', 'dist']);
  });

  test('its build steps work on what it copies', (t) => {
    const app = tempDirectory(t);
    for (const path of copied) cpSync(join(ROOT, path), join(app, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
    const steps = [...dockerfile.matchAll(/^RUN (npm .+)$/gm)].map((match) => match[1]!);
    assert.deepEqual(steps, ['npm ci', 'npm run build', 'npm prune --omit=dev']);
    const run = (line: string) =>
      execFileSync('sh', ['-c', line], { cwd: app, stdio: 'pipe', encoding: 'utf8' });
    // The two that would install and delete are only looked at: they need minutes, and the network.
    run('npm ci --dry-run --offline');
    run('npm run build');
    run('npm ci --omit=dev --dry-run --offline');
    for (const bin of ['coordinator', 'worker']) {
      assert.ok(dockerfile.includes(`ln -s /app/dist/${bin}/main.js /usr/local/bin/${bin}`));
      assert.ok(read(`${bin}/main.ts`).startsWith('#!/usr/bin/env node\n'));
      assert.match(run(`node dist/${bin}/main.js --help`), new RegExp(`Usage: ${bin}`));
    }
  });
});
