/** The keys `dns` and `tls` of a scenario, from the file to the journal. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { redactForJournal } from '../../../shared/domain/redact.ts';
import { scenarioFromFlags } from '../../../shared/domain/scenario-from-flags.ts';
import { parseScenario, readScenario } from '../../../shared/domain/scenario-source.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { certificate, certificateFile, TEST_CA } from '../../support/certificates.ts';

const REST = 'load: { executor: constant-connections, requests: 1 }';
const HTTPS = `targets: { web: "https://localhost:8443" }\n${REST}\n`;

const transportOf = (text: string) => planTrials(parseScenario(text, 's.yaml'))[0]!.transport;

describe('transport of a scenario', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-'));
    for (const name of ['server', 'client'] as const) {
      copyFileSync(certificateFile(name), join(folder, `${name}.pem`));
      copyFileSync(certificateFile(name, 'key.pem'), join(folder, `${name}.key.pem`));
    }
    copyFileSync(certificateFile('ca'), join(folder, 'ca.pem'));
    writeFileSync(join(folder, 'text.pem'), 'not a certificate');
  });
  after(() => rmSync(folder, { recursive: true }));

  const read = (yaml: string) => {
    const file = join(folder, 's.yaml');
    writeFileSync(file, yaml);
    return readScenario(file);
  };

  test('http targets have none, https targets verify and take sessions up', () => {
    assert.equal(transportOf(`targets: { web: "http://localhost" }\n${REST}`), undefined);
    assert.deepEqual(transportOf(HTTPS), { dns: 'once', tls: { insecure: false, resume: true } });
  });

  test('lookups per connection are for both', () => {
    const plain = `targets: { web: "http://localhost" }\ndns: per-connection\n${REST}`;
    assert.deepEqual(transportOf(plain), { dns: 'per-connection' });
    assert.equal(transportOf(`${HTTPS}dns: per-connection`)?.dns, 'per-connection');
  });

  test('of two targets only the one with https has TLS', () => {
    const text = `targets: { a: "http://h", b: "https://h" }\nsweep: { target: [a, b] }\ntls: { insecure: true }\n${REST}`;
    const [a, b] = planTrials(parseScenario(text, 's.yaml'));
    assert.deepEqual([a!.transport, b!.transport?.tls?.insecure], [undefined, true]);
  });

  test('files lie beside the scenario, travel as text, and never reach the journal', () => {
    const scenario = read(
      `${HTTPS}tls: { ca: ca.pem, cert: client.pem, key: client.key.pem, serverName: www.example.com, resume: false }`,
    );
    const { cert, key } = certificate('client');
    const [trial] = planTrials(scenario);
    assert.deepEqual(trial!.transport?.tls, {
      insecure: false,
      resume: false,
      ca: TEST_CA,
      cert,
      key,
      serverName: 'www.example.com',
    });
    // What travels is a scenario again.
    assert.deepEqual(planTrials(validateScenario(scenario.source, 'posted')), planTrials(scenario));
    const journaled = JSON.stringify(redactForJournal(trial!));
    assert.ok(!journaled.includes('PRIVATE KEY') && !journaled.includes(key.split('\n')[1]!), journaled);
    assert.match(journaled, /"serverName":"www\.example\.com"/);
  });

  test('flags of a URL say the same', () => {
    const scenario = scenarioFromFlags({
      url: 'https://localhost/',
      insecure: true,
      cacert: join(folder, 'ca.pem'),
      cert: join(folder, 'client.pem'),
      key: join(folder, 'client.key.pem'),
    });
    const { cert, key } = certificate('client');
    assert.deepEqual(planTrials(scenario)[0]!.transport?.tls, {
      insecure: true,
      resume: true,
      ca: TEST_CA,
      cert,
      key,
    });
  });

  const WRONG: [sentence: string, yaml: string, message: RegExp][] = [
    [
      'a file that is not there',
      'tls: { ca: none.pem }',
      /tls\.ca: cannot read .*none\.pem: there is no such file/,
    ],
    [
      'a file that is no certificate',
      'tls: { ca: text.pem }',
      /s\.yaml:3:12: tls\.ca: text\.pem: there is no certificate in it/,
    ],
    [
      'a certificate in the place of a key',
      'tls: { cert: client.pem, key: ca.pem }',
      /s\.yaml:3:31: tls\.key: ca\.pem: there is no private key in it/,
    ],
    [
      'a key of another certificate',
      'tls: { cert: client.pem, key: server.key.pem }',
      /s\.yaml:3:31: tls\.key: server\.key\.pem: the key does not belong/,
    ],
    [
      'a certificate without its key',
      'tls: { cert: client.pem }',
      /tls\.cert: client\.pem: a client certificate needs its key; add "key"/,
    ],
    [
      'a key without its certificate',
      'tls: { key: client.key.pem }',
      /needs its client certificate; add "cert"/,
    ],
    ['a file and its text', 'tls: { ca: ca.pem, caPem: x }', /is given twice, as "ca" and as "caPem"/],
    ['an unknown key', 'tls: { insecur: true }', /did you mean "insecure"/],
    ['an address as the name', 'tls: { serverName: 127.0.0.1 }', /is an address; expected a host name/],
    ['another word for dns', 'dns: never', /dns: "never" is not known/],
  ];
  for (const [sentence, yaml, message] of WRONG) {
    test(`${sentence} is refused`, () => {
      assert.throws(() => read(HTTPS + yaml), { code: 'SCENARIO_INVALID', message });
    });
  }

  test('a flag whose file is not of the form is named, with the file', () => {
    const [ca, text] = [join(folder, 'ca.pem'), join(folder, 'text.pem')];
    const of = (flags: object) => () => scenarioFromFlags({ url: 'https://localhost', ...flags });
    const message = (flag: string, what: string) => (error: Error) =>
      error.message.startsWith(`${flag}: ${text}: ${what}`);
    assert.throws(of({ cacert: text }), message('--cacert', 'there is no certificate in it'));
    assert.throws(of({ cert: text, key: text }), message('--cert', 'there is no certificate in it'));
    assert.throws(of({ cert: ca, key: text }), message('--key', 'there is no private key in it'));
  });

  test('tls without an https target is refused', () => {
    const text = `targets: { web: "http://localhost" }\ntls: { insecure: true }\n${REST}`;
    assert.throws(() => parseScenario(text, 's.yaml'), /s\.yaml:2:1: .*no target has TLS/);
  });

  test('a coordinator reads no files for whoever submits a scenario', () => {
    const { source } = parseScenario(HTTPS, 's.yaml');
    assert.throws(
      () => validateScenario({ ...source, tls: { key: '/etc/ssl/private/key.pem' } }, 'posted'),
      /a file can be named only in a scenario file that `coordinator run` or `validate` reads/,
    );
  });

  test('flags that cannot be are refused by their names', () => {
    const url = 'https://localhost/';
    assert.throws(
      () => scenarioFromFlags({ url, cert: join(folder, 'client.pem') }),
      /--cert: .* both --cert and --key/,
    );
    assert.throws(() => scenarioFromFlags({ url, cacert: join(folder, 'none.pem') }), {
      code: 'FILE_UNREADABLE',
    });
    assert.throws(() => scenarioFromFlags({ url: 'http://localhost/', insecure: true }), /no target has TLS/);
  });
});
