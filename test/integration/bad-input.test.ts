/** Bad input: one clear error, exit 2, and nothing started: no run, no Redis, no worker. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { WebSocketServer } from 'ws';
import type { CoordinatorMessage } from '../../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { type CliResult, runCli, startCli } from '../support/cli.ts';
import { answerTo } from '../support/hello.ts';
import { startLab, temporaryDirectory } from '../support/lab.ts';
import { freePort } from '../support/nginx.ts';
import { markProcesses } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

const TARGETS = 'targets: { it: "http://127.0.0.1:9" }';
const CLOSED = 'load: { executor: constant-connections, requests: 1 }';
const GOOD = `${TARGETS}\n${CLOSED}\n`;

interface Row {
  sentence: string;
  /** `scenario.yaml` by its absolute path where it says SCENARIO. */
  args: string[];
  scenario?: string;
  bin?: 'worker';
  env?: Record<string, string>;
  /** Essential words, in the first line or the second. */
  says: RegExp;
}

const SCENARIO = 'SCENARIO';
const of = (sentence: string, scenario: string, says: RegExp): Row => ({
  sentence,
  scenario,
  args: ['run', SCENARIO],
  says,
});
const flags = (sentence: string, args: string[], says: RegExp): Row => ({ sentence, args, says });
const worker = (sentence: string, args: string[], says: RegExp): Row => ({
  sentence,
  args: ['start', ...args],
  bin: 'worker',
  says,
});
const URL_ = 'http://127.0.0.1:9/';

const SCENARIOS: Row[] = [
  of(
    'an unknown key, with a suggestion',
    `${TARGETS}\nload: { executor: constant-connections, requests: 1, conections: 4 }\n`,
    /scenario\.yaml:2:54: load: unknown key "conections"; did you mean "connections"\?/,
  ),
  of(
    'a bad unit',
    `${TARGETS}\nload: { executor: constant-connections, duration: 10 parsecs }\n`,
    /:2:51: load\.duration: "10 parsecs" is not a duration such as 10s/,
  ),
  of(
    'an unknown target in a sweep',
    `targets: { httpd: "http://127.0.0.1:9", nio: "http://127.0.0.1:8" }\nsweep: { target: [nio, htpd] }\n${CLOSED}\n`,
    /:2:24: sweep\.target\[1\]: "htpd" is not a name in targets; did you mean "httpd"\?/,
  ),
  of(
    'no requests at all',
    `${TARGETS}\nload: { executor: constant-connections, requests: 0 }\n`,
    /load\.requests: 0 is not a whole number, 1 or more/,
  ),
  of(
    'a negative number of connections',
    `${TARGETS}\nload: { executor: constant-connections, requests: 1, connections: -4 }\n`,
    /load\.connections: -4 is not a whole number/,
  ),
  of(
    'a rate of zero',
    `${TARGETS}\nload: { executor: constant-arrival-rate, rate: 0, duration: 1s }\n`,
    /load\.rate: 0 is not a rate more than 0/,
  ),
  of(
    'a target without host',
    `targets: { it: "http://:8080" }\n${CLOSED}\n`,
    /:1:16: targets\.it: "http:\/\/:8080" has no host; expected a URL such as/,
  ),
  of(
    'a tab in the indentation',
    `${TARGETS}\nload:\n\texecutor: constant-connections\n`,
    /scenario\.yaml:3:1: there is a tab in the indentation; YAML takes only spaces/,
  ),
  of('a key given twice', `${GOOD}${CLOSED}\n`, /:3:1: the key "load" is given twice/),
  of('10 MB of scenario', `${GOOD}#${'x'.repeat(1e7)}`, /scenario\.yaml: is larger than 1\.00 MiB/),
  flags('a missing file', ['run', 'nowhere.yaml'], /cannot read nowhere\.yaml: there is no such file/),
  flags('a folder', ['run', '.'], /cannot read \.: it is a folder/),
  flags(
    'a URL without scheme',
    ['run', 'localhost:8080/x'],
    /a URL begins with its scheme: http:\/\/localhost:8080\/x/,
  ),
];

const FLAGS: Row[] = [
  flags('-n 0', ['run', URL_, '-n', '0'], /-n: "0" is not a whole number of requests, 1 or more/),
  flags('a negative -n', ['run', URL_, '-n', '-5'], /-n: "-5" is not a whole number/),
  flags('-c 0', ['run', URL_, '-n', '1', '-c', '0'], /-c: "0" is not a whole number of connections/),
  flags('-t 0', ['run', URL_, '-t', '0'], /-t: "0" is not a whole number of seconds/),
  flags('a negative rate', ['run', URL_, '--rate', '-3', '-t', '1'], /--rate: "-3" is not a rate/),
  flags('no workers', ['run', URL_, '--workers', '0'], /--workers.*'0'.*a whole number from 1/),
  flags('a bad --wait', ['run', URL_, '--wait', '5'], /--wait.*'5'.*expected a duration such as 10s/),
  flags('a bad --wait of all runs', ['start', '--wait', '5'], /--wait.*'5'.*expected a duration such as 10s/),
  flags('a URL without host', ['run', 'http:///x'], /the URL: "http:\/\/\/x" has no host/),
  flags('a URL with a port only', ['run', 'http://:80/'], /has no host/),
  flags('a scheme that cannot be driven', ['run', 'ftp://h/'], /scheme ftp; only http and https/),
  flags(
    'an unknown format',
    ['run', URL_, '--format', 'pdf'],
    /--format pdf.*\n.*the formats are text, ab, json/,
  ),
  flags(
    'an unknown flag',
    ['run', URL_, '--formt', 'ab'],
    /unknown option '--formt'\n.*Did you mean --format/,
  ),
  flags('an unknown command', ['strat'], /unknown command 'strat'\n.*Did you mean start/),
  flags(
    "ab's letters with a file",
    ['run', SCENARIO, '-n', '5'],
    /-n: goes with a URL.*load\.requests\n.*--set/,
  ),
  flags('--set with a URL', ['run', URL_, '--set', 'rounds=2'], /--set: changes a scenario file/),
  flags('--only with a URL', ['run', URL_, '--only', 'n=2'], /--only: chooses cells of a sweep/),
  flags('--only without a value', ['run', SCENARIO, '--only', 'size'], /--only "size": expected AXIS=VALUE/),
  flags(
    '--only of an axis that there is not',
    ['run', SCENARIO, '--set', 'sweep.target=[it]', '--only', 'traget=it'],
    /--only "traget=it": "traget" is not an axis of the sweep; did you mean "target"\?/,
  ),
  flags(
    '--only of a value that there is not',
    ['run', SCENARIO, '--set', 'sweep.target=[it]', '--only', 'target=its'],
    /--only "target=its": no cell has target=its; did you mean "it"\?/,
  ),
  flags(
    'the plan of a resumed run',
    ['run', SCENARIO, '--dry-run', '--resume', '20260101-000000-0000', '--coordinator', 'http://127.0.0.1:9'],
    /--dry-run: what is left of a run is read from its journal/,
  ),
  flags(
    'a run to resume that there is not',
    ['run', SCENARIO, '--data', `${SCENARIO}.data`, '--resume', '20260101-000000-0000'],
    /--resume 20260101-000000-0000: there is no such run in .*\.data/,
  ),
  flags(
    '--set of an unknown key',
    ['run', SCENARIO, '--set', 'load.reqests=5'],
    /--set load\.reqests=5: .*"requests"/,
  ),
  flags(
    'a bad --allow',
    ['run', URL_, '--allow', '*'],
    /--allow \*: not a CIDR range, an address or a host name/,
  ),
  flags(
    'an --out that cannot be',
    ['run', URL_, '--out', 'no/such/file'],
    /--out no\/such\/file: .*no folder/,
  ),
  flags('an --out without a name', ['run', URL_, '--out', ''], /--out .*it has no name/),
  flags('an --out that is a folder', ['run', URL_, '--out', '.'], /--out \.: .*it is a folder/),
  flags(
    'a coordinator without host',
    ['run', URL_, '--coordinator', 'http:///x'],
    /--coordinator.*expected a URL/,
  ),
  flags(
    'flags of an own lab for another',
    ['run', URL_, '--coordinator', URL_, '--redis', 'redis://h'],
    /--redis: is for a lab of its own/,
  ),
  flags(
    'a Redis that is not there',
    ['run', URL_, '--redis', 'redis://127.0.0.1:1'],
    /no Redis answers at redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/,
  ),
  flags(
    'a Redis URL of another scheme',
    ['run', URL_, '--redis', 'http://h:6379'],
    /--redis: expected a URL such as redis:/,
  ),
  flags(
    'a Redis URL with a password that is not shown',
    ['start', '--port', '0', '--redis', 'redis://:geheim@127.0.0.1:1'],
    /no Redis answers at redis:\/\/:\*\*\*@127\.0\.0\.1:1/,
  ),
  flags('a port that is none', ['start', '--port', '70000'], /--port.*'70000'.*from 0 .* to 65535/),
  flags(
    'an address of another machine',
    ['start', '--host', '192.0.2.1'],
    /--host 192\.0\.2\.1: this machine does not have/,
  ),
  flags(
    'a data directory below a file',
    ['start', '--port', '0', '--data', `${SCENARIO}/x`],
    /data directory .*scenario\.yaml\/x cannot be written to.*\n.*--data DIR/,
  ),
  flags(
    'the same for a run',
    ['run', URL_, '--data', `${SCENARIO}/x`],
    /data directory .*cannot be written to/,
  ),
  flags(
    'a report of an unknown run',
    ['report', '20200101-000000-abcd'],
    /there is no run 20200101-000000-abcd/,
  ),
  flags('a report of a folder without a journal', ['report', '.'], /there is no journal in/),
  flags('a report of a file', ['report', SCENARIO], /there is no journal in/),
  flags('a report in an unknown format', ['report', '.', '--format', 'pdf'], /--format pdf/),
  flags('a list in an unknown format', ['list', '--format', 'xml'], /--format.*'xml'.*text, json/),
  worker('no coordinator', [], /required option '--coordinator <url>'/),
  worker(
    'a coordinator without host',
    ['--coordinator', 'http:///x'],
    /--coordinator.*expected a URL such as/,
  ),
  worker('a name that is none', ['--coordinator', URL_, '--name', 'a b'], /--name.*'a b'.*letters, digits/),
  worker('no threads', ['--coordinator', URL_, '--threads', '0'], /--threads.*'0'.*whole number/),
  worker('too many threads', ['--coordinator', URL_, '--threads', '9999'], /--threads.*'9999'.*1 to 1024/),
  worker('a bad allow-list', ['--coordinator', URL_, '--allow', '10.0.0.0/99'], /--allow 10\.0\.0\.0\/99/),
  worker('an unknown flag', ['--coordinator', URL_, '--nmae', 'x'], /unknown option '--nmae'\n.*--name/),
];

const ENVIRONMENT: Row[] = [
  {
    sentence: '$BROADSIDE_COORDINATOR that is no URL',
    args: ['list'],
    env: { BROADSIDE_COORDINATOR: 'here' },
    says: /--coordinator.*'here'.*BROADSIDE_COORDINATOR.*expected a URL such as/,
  },
  {
    sentence: '$BROADSIDE_LOG that is no level',
    args: ['start', '--port', '0'],
    env: { BROADSIDE_LOG: 'loud' },
    says: /\$BROADSIDE_LOG: loud is no level\n.*trace, debug/,
  },
  {
    sentence: '$REDIS_URL that is no URL of a Redis',
    args: ['run', URL_],
    env: { REDIS_URL: 'here' },
    says: /expected a URL such as redis:/,
  },
  {
    sentence: 'a token that cannot be shown',
    args: ['start', '--host', '0.0.0.0', '--port', '0'],
    env: { BROADSIDE_TOKEN: 'two words' },
    says: /\$BROADSIDE_TOKEN: not a token: expected letters(?!.*two words)/,
  },
  {
    sentence: '$K6_BIN that is no program, also where there is no script: the own workers would not start',
    args: ['run', URL_],
    env: { K6_BIN: '/nowhere/k6' },
    says: /\$K6_BIN: \/nowhere\/k6 is not there/,
  },
  flags(
    'a --k6 that is no program, likewise',
    ['run', URL_, '--k6', '/nowhere/k6'],
    /--k6: \/nowhere\/k6 is not there/,
  ),
  flags(
    'an empty token, which would let everybody in',
    ['start', '--host', '0.0.0.0', '--port', '0', '--token', ''],
    /--token: not a token: it is empty/,
  ),
  worker('an empty token of a worker', ['--coordinator', URL_, '--token', ''], /--token: .*it is empty/),
  flags('an empty host', ['start', '--port', '0', '--host', ''], /--host.*''.*expected an address/),
  flags('a target on no host', ['target', '--port', '0', '--host', ''], /--host.*''.*expected an address/),
  flags('an empty data directory', ['start', '--port', '0', '--data', ''], /--data.*''.*expected a folder/),
];

/** One error, at most one hint, and nothing on stdout. */
function assertOneError(result: CliResult, bin: string, says: RegExp, code = 2): void {
  assert.equal(result.code, code, result.stderr);
  assert.match(result.stderr, says);
  assert.equal(result.stdout, '');
  const lines = result.stderr.trimEnd().split('\n');
  assert.ok(lines.length <= 2, `more than an error and a hint:\n${result.stderr}`);
  assert.ok(lines[0]!.startsWith(`${bin}: `), lines[0]);
}

async function refuses(
  t: TestContext,
  { args, scenario, bin = undefined, env = {}, says }: Row,
): Promise<void> {
  const folder = await temporaryDirectory(t);
  const file = path.join(folder, 'scenario.yaml');
  await writeFile(file, scenario ?? GOOD);
  const data = path.join(folder, 'data');
  const marked = markProcesses();
  const command = bin ?? 'coordinator';
  const result = await runCli(
    command,
    args.map((word) => word.replace(SCENARIO, file)),
    { BROADSIDE_DATA: data, ...env, ...marked.env },
  );
  assertOneError(result, command, says);
  const made = readdirSync(folder).filter((name) => name !== 'scenario.yaml' && name !== 'data');
  assert.deepEqual([...made, ...runsIn(data)], [], 'nothing is made, but for a data directory');
  await marked.gone(1_000);
}

function runsIn(data: string): string[] {
  const runs = path.join(data, 'runs');
  return existsSync(runs) ? readdirSync(runs) : [];
}

describe('bad scenarios, flags and addresses', { concurrency: 3 }, () => {
  for (const row of [...SCENARIOS, ...FLAGS, ...ENVIRONMENT]) test(row.sentence, (t) => refuses(t, row));
});

test('a worker that dials what is no coordinator says so once, however often it tries again', async (t) => {
  let dials = 0;
  const server = http.createServer((_request, response) => response.writeHead(404).end());
  const third = new Promise<void>((resolve) => {
    server.on('upgrade', (_request, socket) => {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      if (++dials === 3) resolve();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const worker = startCli('worker', ['start', '--coordinator', url]);
  await third;
  worker.child.kill('SIGTERM');
  const { stderr } = await worker.ended;
  assert.equal(stderr.match(/trying again/g)?.length, 1, stderr);
  assert.match(stderr, /answered HTTP 404; is this a Broadside coordinator\?/);
});

test('what is wrong in the environment is no matter of commands that do not ask for it', async () => {
  for (const value of ['', 'here']) {
    const result = await runCli('coordinator', ['--help'], {
      BROADSIDE_COORDINATOR: value,
      BROADSIDE_LOG: value,
      REDIS_URL: value,
    });
    assert.equal(result.code, 0, result.stderr);
  }
});

describe('what a running coordinator refuses', () => {
  test('its port, its directory, strangers, names that are taken, runs that it does not know', async (t) => {
    const lab = await startLab(t, [], ['--token', 'sesame']);
    await lab.addWorker('w1', ['--token', 'sesame']);
    const { port } = new URL(lab.url);
    const at = ['--coordinator', lab.url];
    const data = await temporaryDirectory(t);
    const unknown = '20200101-000000-abcd';
    const rows: Row[] = [
      flags(
        'its port',
        ['start', '--port', port],
        /port \d+ on 127\.0\.0\.1 is in use\n.*another port with --port/,
      ),
      flags(
        'its directory',
        ['start', '--port', '0', '--data', lab.data],
        /belongs to the running coordinator with process id \d+\n.*--data DIR/,
      ),
      flags(
        'a list without token',
        ['list', ...at],
        /the token is missing or wrong\n.*--token or \$BROADSIDE_TOKEN/,
      ),
      flags('a run without token', ['run', URL_, ...at], /the token is missing or wrong/),
      flags(
        'a run with a wrong token',
        ['run', URL_, ...at, '--token', 'x'],
        /the token is missing or wrong/,
      ),
      worker(
        'a worker without token',
        [...at],
        /refused this worker: it asks for a token\n.*`worker start` line/,
      ),
      worker(
        'a worker with a wrong token',
        [...at, '--token', 'x'],
        /refused this worker: it does not know this token/,
      ),
      worker(
        'a second worker of one name',
        [...at, '--token', 'sesame', '--name', 'w1'],
        /a worker named w1 is already connected; choose another with --name/,
      ),
      flags(
        'a run that it does not have',
        ['show', unknown, ...at, '--token', 'sesame'],
        /there is no run 2020/,
      ),
      flags('to cancel such a run', ['cancel', unknown, ...at, '--token', 'sesame'], /there is no run 2020/),
      flags(
        'a report of such a run',
        ['report', unknown, ...at, '--token', 'sesame'],
        /there is no run 2020/,
      ),
    ];
    for (const { sentence, args, bin = 'coordinator', says } of rows) {
      await t.test(sentence, async () => {
        const marked = markProcesses();
        assertOneError(await runCli(bin, args, { BROADSIDE_DATA: data, ...marked.env }), bin, says);
        await marked.gone(1_000);
      });
    }
    assert.deepEqual(runsIn(lab.data), []);
    assert.deepEqual(runsIn(data), []);
    assert.equal(lab.workers.get('w1')!.child.exitCode, null, 'the first of the name stays');
  });

  test('a worker of another protocol version, naming both', async (t) => {
    const lab = await startLab(t, []);
    const { message } = await answerTo(lab.url, {
      type: 'hello',
      protocol: 99,
      name: 'old',
      capabilities: {},
    });
    assert.match(message, new RegExp(`old speaks protocol 99 .*speaks ${PROTOCOL_VERSION};.*same version`));
  });

  test('a hello that is none', async (t) => {
    const lab = await startLab(t, []);
    const hello = { type: 'hello', protocol: PROTOCOL_VERSION, name: 'a:b', pool: 'default' };
    assert.match((await answerTo(lab.url, hello)).message, /hello .*name has 1 to 63 letters/);
    assert.match((await answerTo(lab.url, 'hello?')).message, /no Broadside message/);
  });
});

test('a worker that is refused says why and ends', async (t) => {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  t.after(() => sockets.close());
  const message = 'worker w speaks protocol 1, this coordinator speaks 2; install the same version on both';
  sockets.on('connection', (socket) => {
    const refused: CoordinatorMessage = { type: 'refused', code: 'PROTOCOL_MISMATCH', message };
    socket.once('message', () => socket.send(JSON.stringify(refused), () => socket.close()));
  });
  const url = `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
  assertOneError(
    await runCli('worker', ['start', '--coordinator', url]),
    'worker',
    /speaks protocol 1, .*speaks 2/,
  );
});

test('what is no coordinator at --coordinator is said to be none', async () => {
  const servers = [
    http.createServer((_, response) => response.end('<html>It works!</html>')),
    http.createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    ),
    net.createServer((socket) => socket.on('error', () => {}).end('220 mail.example.org ESMTP\r\n')),
  ];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const result = await runCli('coordinator', ['run', URL_, '--coordinator', url]);
    assertOneError(
      result,
      'coordinator',
      /(answered HTTP 200; is this a Broadside coordinator\?|no coordinator answers at http)/,
    );
    server.close();
  }
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const result = await runCli('coordinator', ['list', '--coordinator', nobody]);
  assertOneError(
    result,
    'coordinator',
    /no coordinator answers at http.*ECONNREFUSED.*\n.*coordinator start/,
  );
});

test('no worker within --wait: exit 3, and how to start one', async (t) => {
  const lab = await startLab(t, []);
  const result = await lab.run([URL_, '--wait', '300ms', '-q']);
  assertOneError(
    result,
    'coordinator',
    /needs 1 worker in pool default, and after 0\.3 s none is there.*worker start --coordinator/,
    3,
  );
});

test('a Redis that evicts keys is used, with a warning', async (t) => {
  const redis = await startRedis(t, ['--maxmemory-policy', 'allkeys-lru']);
  const lab = await startLab(t, [], ['--redis', redis]);
  assert.match(lab.coordinator.stderr, /evicts keys.*maxmemory-policy allkeys-lru.*set it to noeviction/);
});

test('no redis-server on the PATH: how to get one', async (t) => {
  const folder = await temporaryDirectory(t);
  const bin = path.join(folder, 'bin');
  await mkdir(bin);
  for (const program of ['sh', 'cat']) await symlink(`/bin/${program}`, path.join(bin, program));
  const marked = markProcesses();
  const result = await runCli('coordinator', ['start', '--port', '0', '--data', folder], {
    PATH: bin,
    ...marked.env,
  });
  assertOneError(result, 'coordinator', /no redis-server on the PATH\n.*install redis-server.*--redis URL/);
  await marked.gone(1_000);
});

test('a journal that is damaged in the middle: the line is named', async (t) => {
  const data = await temporaryDirectory(t);
  const run = await runCli('coordinator', ['run', URL_, '--data', data, '-q']);
  assert.equal(run.code, 3, run.stderr);
  const folder = path.join(data, 'runs', runsIn(data)[0]!);
  const journal = path.join(folder, 'journal.jsonl');
  const lines = (await readFile(journal, 'utf8')).split('\n');
  lines[1] = lines[1]!.slice(10);
  await writeFile(journal, lines.join('\n'));
  const result = await runCli('coordinator', ['report', folder]);
  assertOneError(result, 'coordinator', /journal\.jsonl:2: the journal is damaged/, 1);
});
