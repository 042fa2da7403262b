/** The real servers on the lab's hosts: each is the one that its name says, and answers both workers. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { reportOf } from '../support/lab.ts';
import { NAMESPACES_MISSING } from '../support/namespace.ts';
import { Scope } from '../support/scope.ts';
import { type NetworkLab, startNetworkLab } from './lab.ts';
import { packagesMissing, startTarget, TARGETS, type TargetName } from './targets.ts';

const SIZE = '4KiB';

describe('real servers in the lab', { skip: NAMESPACES_MISSING }, () => {
  const scope = new Scope();
  let lab: NetworkLab;
  before(async () => {
    lab = await startNetworkLab(scope, { workers: 2, bitsPerSecond: 100e6 });
  });
  after(() => scope.close());

  /** 40 requests of each, by both workers: all are answered with 200 and the right length. */
  async function load(urls: Record<string, string>): Promise<void> {
    const file = path.join(lab.directory, 'scenario.yaml');
    const scenario = {
      name: 'real servers',
      targets: urls,
      sweep: { target: Object.keys(urls) },
      request: { path: `/bytes/${SIZE}`, expect: { status: 200, length: SIZE } },
      load: { executor: 'constant-connections', connections: 4, requests: 40, keepAlive: true },
      workers: { count: 2 },
    };
    await writeFile(file, JSON.stringify(scenario));
    const result = await lab.run([file, '--format', 'json']);
    const { trials } = reportOf(result);
    assert.equal(result.code, 0, result.stderr);
    for (const { cell, summary, workers } of trials) {
      assert.equal(summary.requests, 40, String(cell.target));
      assert.equal(summary.errors.total, 0, JSON.stringify(summary.errors));
      assert.equal(workers.length, 2);
    }
  }

  /** What `curl -I` would show as Server, asked from a worker. */
  async function serverHeader(url: string): Promise<string> {
    const ask = `fetch(process.argv[1]).then((reply) => console.log(reply.headers.get('server')))`;
    const { stdout } = await lab.host('worker-1').run(process.execPath, ['-e', ask, `${url}/bytes/${SIZE}`]);
    return stdout.trim();
  }

  const alone: [name: TargetName, header: RegExp][] = [
    ['nginx', /^nginx/],
    ['httpd', /^Apache/],
    ['httpd-worker', /^Apache/],
    ['httpd-event', /^Apache/],
  ];
  for (const [name, header] of alone) {
    const packages = packagesMissing(name);
    test(name, { skip: packages === false ? false : `${packages} not installed` }, async () => {
      const own = scope.inner();
      const { url } = await startTarget(own, lab, name, [SIZE]);
      assert.match(await serverHeader(url), header);
      await load({ [name]: url });
      await own.close();
    });
  }

  const packages = packagesMissing('mod-jk');
  test('Tomcat by each connector, and behind httpd on another host in three ways', {
    skip: packages === false ? false : `${packages} not installed`,
  }, async () => {
    const own = scope.inner();
    await startTarget(own, lab, 'mod-jk', [SIZE]);
    const names = (Object.keys(TARGETS) as TargetName[]).filter((name) => /^(tomcat|mod)-/.test(name));
    const urls = Object.fromEntries(
      names.map((name) => {
        const { host, port, path = '' } = TARGETS[name] as { host: string; port: number; path?: string };
        return [name, `http://${lab.host(host).address}:${port}${path}`];
      }),
    );
    assert.equal(names.length, 9);
    for (const name of names) {
      const header = await serverHeader(urls[name]!);
      // Tomcat does not say who it is, and mod_proxy_http passes that on.
      assert.match(header, name.startsWith('tomcat') ? /^null$/ : /^Apache|^null$/, name);
    }
    await load(urls);
    await own.close();
  });
});
