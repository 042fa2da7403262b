/** Whatever ends the owner of a lab, nothing of the lab stays. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/cli.ts';
import { NAMESPACES_MISSING } from '../support/namespace.ts';
import { markProcesses } from '../support/processes.ts';
import { Scope } from '../support/scope.ts';
import { abandonedLabs, newLabName } from './lab-name.ts';
import { makeNetwork } from './network.ts';

const NETWORK = pathToFileURL(path.join(ROOT, 'dist', 'test', 'lab', 'network.js')).href;
const GONE_WITHIN_MS = 10_000;

/** Makes a network with something running in it, says where its files are, and waits for its end. */
const OWNER = `
  import { makeNetwork } from ${JSON.stringify(NETWORK)};
  const plans = ['a', 'b'].map((name, i) => ({ name, number: i + 1, bitsPerSecond: 100e6 }));
  const network = makeNetwork({ after: () => {} }, plans);
  network.host('b').spawn('sleep', ['600'], { stdio: 'ignore' }).unref();
  console.log(network.directory);
  if (process.argv[1] === 'end') process.exit(0);
  setInterval(() => {}, 1000);`;

const namespacesOf = (lab: string): string[] =>
  readdirSync('/run/netns').filter((name) => name.startsWith(`${lab}-`));

describe('nothing of a lab stays', { skip: NAMESPACES_MISSING }, () => {
  async function startOwner(how: string) {
    const marked = markProcesses();
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, how], {
      env: { ...process.env, ...marked.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(owner, 'exit');
    const said = once(owner.stdout.setEncoding('utf8'), 'data');
    const directory = String((await Promise.race([said, exited]))[0]).trim();
    return { owner, exited, marked, directory, lab: path.basename(directory) };
  }

  for (const how of ['SIGKILL', 'SIGTERM', 'end'] as const) {
    test(`after its owner’s ${how}: no namespace, process or file`, async () => {
      const { owner, exited, marked, directory, lab } = await startOwner(how);
      if (how !== 'end') {
        assert.equal(namespacesOf(lab).length, 3, 'a, b and the switch');
        owner.kill(how);
      }
      await exited;
      await marked.gone(GONE_WITHIN_MS);
      assert.deepEqual(namespacesOf(lab), []);
      assert.equal(existsSync(directory), false);
    });
  }

  test('when warden and owner are killed: the next lab takes it away', async () => {
    const { owner, exited, marked, directory, lab } = await startOwner('wait');
    const warden = marked.alive().find((line) => line.includes('warden.sh'))!;
    process.kill(Number.parseInt(warden, 10), 'SIGKILL');
    owner.kill('SIGKILL');
    await exited;
    assert.equal(namespacesOf(lab).length, 3);
    const scope = new Scope();
    makeNetwork(scope, []);
    await marked.gone(GONE_WITHIN_MS);
    assert.deepEqual(namespacesOf(lab), []);
    assert.equal(existsSync(directory), false);
    await scope.close();
  });

  test('a closed scope waits until all is gone', async () => {
    const scope = new Scope();
    const { directory } = makeNetwork(scope, [{ name: 'a', number: 1, bitsPerSecond: 100e6 }]);
    assert.equal(namespacesOf(path.basename(directory)).length, 2);
    await scope.close();
    assert.deepEqual(namespacesOf(path.basename(directory)), []);
    assert.equal(existsSync(directory), false);
  });
});

describe('a lab is abandoned', { skip: process.platform !== 'linux' && 'there is no /proc' }, () => {
  const mine = newLabName();
  const [, pid, started, number] = mine.split('-');
  const cases: [that: string, namespaces: string[], abandoned: string[]][] = [
    ['not while its owner lives', [`${mine}-target`], []],
    [
      'when its owner’s number belongs to a younger process',
      [`bslab-${pid}-${Number(started) - 1}-${number}-worker-1`],
      [`bslab-${pid}-${Number(started) - 1}-${number}`],
    ],
    ['when its owner is gone, once', ['bslab-4194305-7-0-a', 'bslab-4194305-7-0-b'], ['bslab-4194305-7-0']],
    ['never when it is somebody else’s', ['blue', 'bslab-probe-17', 'cni-bslab-1-2-3-x'], []],
  ];
  for (const [that, namespaces, abandoned] of cases) {
    test(that, () => assert.deepEqual(abandonedLabs(namespaces), abandoned));
  }
});
