import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { tempDirectory } from '../support/folders.ts';
import { ROOT } from './load-script.ts';
import type { Ended } from './run-node.ts';

/** Programs that stand for the demo's. */
const PROGRAMS = {
  'server.mjs': `
    import { connect } from 'node:net';
    process.on('SIGTERM', () => process.exit(0));
    connect(Number(process.env.LIFELINE), '127.0.0.1', () => {
      console.log('a first line');
      console.log('Server on http://127.0.0.1:1');
    });`,
  'broken.mjs': `console.error('no such thing'); process.exitCode = 3;`,
  'ends-with-7.mjs': `process.exitCode = 7;`,
  'until-interrupted.mjs': `
    setInterval(() => {}, 1000);
    process.on('SIGINT', () => { console.log('a report all the same'); process.exit(130); });
    console.log('running');`,
  'deaf.mjs': `
    setInterval(() => {}, 1000);
    process.on('SIGINT', () => console.log('heard'));
    console.log('running');`,
};

/** A script that starts what `body` says and always stops it. */
function script(t: TestContext, body: string): { cwd: string; file: string } {
  const cwd = tempDirectory(t, {
    ...PROGRAMS,
    'script.mjs': `
      import { main } from ${JSON.stringify(join(ROOT, 'scripts/setup/console.mjs'))};
      import { Processes } from ${JSON.stringify(join(ROOT, 'scripts/demo/processes.mjs'))};
      const processes = new Processes({ cwd: process.cwd(), env: process.env });
      const command = (name) => ({ shown: name, file: name + '.mjs', args: [] });
      await main(async () => {
        try {${body}} catch (error) { processes.printLogs(); throw error; } finally { await processes.stopAll(); }
      });`,
  });
  return { cwd, file: join(cwd, 'script.mjs') };
}

/** A port that services stay connected to as long as they live, whoever's children they have become. */
async function lifeline(t: TestContext): Promise<{ env: NodeJS.ProcessEnv; ends: Promise<unknown>[] }> {
  const ends: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    // A killed process resets its connection.
    socket.on('error', () => undefined);
    ends.push(once(socket.resume(), 'close'));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { env: { ...process.env, LIFELINE: String(port) }, ends };
}

const SERVICE = `await processes.startServer(command('server'));`;

/** Runs a script to its end, and waits for the end of the services that it started. */
async function runScript(
  t: TestContext,
  body: string,
  onLine: (line: string, interrupt: () => void) => void = () => undefined,
): Promise<Ended & { services: number }> {
  const { cwd, file } = script(t, body);
  const { env, ends } = await lifeline(t);
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '' };
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.stdout += `${line}\n`;
    onLine(line, () => child.kill('SIGINT'));
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    out.stderr += `${line}\n`;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  await Promise.all(ends);
  return { code, ...out, services: ends.length };
}

test('a server is ready at its line, and the exit code is the run’s', async (t) => {
  const { code, stdout, stderr, services } = await runScript(
    t,
    `console.log(await processes.startServer(command('server')));
     return await processes.run(command('ends-with-7'));`,
  );
  assert.equal(code, 7);
  assert.equal(stdout, 'http://127.0.0.1:1\n');
  assert.equal(stderr, '» $ server &\n»   http://127.0.0.1:1\n» $ ends-with-7\n');
  assert.equal(services, 1);
});

test('a server that ends before it is ready is an error with its log, and the others are stopped', async (t) => {
  const { code, stderr, services } = await runScript(
    t,
    `${SERVICE} await processes.startServer(command('broken'));`,
  );
  assert.equal(code, 1);
  assert.match(stderr, /» broken \(ended\); the last lines of its log:\n {4}no such thing\n/);
  assert.match(stderr, /error: ended before it was ready \(exit 3\): broken/);
  assert.equal(services, 1);
});

test('Ctrl-C lets the run report, also when npm passes it on a second time', async (t) => {
  const body = `${SERVICE} return await processes.run(command('until-interrupted'));`;
  const { code, stdout, services } = await runScript(t, body, (line, interrupt) => {
    if (line !== 'running') return;
    interrupt();
    interrupt();
  });
  assert.equal(code, 130);
  assert.match(stdout, /a report all the same/);
  assert.equal(services, 1);
});

test('a second Ctrl-C ends what does not listen', async (t) => {
  const body = `${SERVICE} return await processes.run(command('deaf'));`;
  const { code, services } = await runScript(t, body, (line, interrupt) => {
    if (line === 'running') interrupt();
    // Later than one press could come twice.
    if (line === 'heard') setTimeout(interrupt, 700);
  });
  assert.equal(code, 130);
  assert.equal(services, 1);
});
