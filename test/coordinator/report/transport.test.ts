/** TLS and several addresses in the report: phases, sessions, bytes and connections. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatAb } from '../../../coordinator/report/ab.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import type { Report } from '../../../coordinator/report/schema.ts';
import { formatText } from '../../../coordinator/report/text.ts';
import type { Sample } from '../../support/intervals.ts';
import { CLOSED, runEnded, runRecord, trialPlan, trialRecords } from './journal-fixture.ts';

const REQUESTS: Sample[] = Array.from({ length: 10 }, (_, i) => ({
  latencyUs: 80_000,
  firstByteUs: 70_000,
  status: 200,
  bytes: 300,
  decrypted: 260,
  body: 25,
  connectUs: 10_000,
  handshakeUs: 40_000,
  resumed: i > 3,
  address: i % 2 === 0 ? '10.0.0.5' : '10.0.0.6',
}));

async function report(seconds: Sample[]): Promise<Report> {
  const plan = trialPlan(0, { ...CLOSED, keepAlive: false });
  const records = trialRecords(plan, [{ worker: 'w1', connections: 4, seconds: [seconds] }]);
  return buildReport([runRecord([plan]), ...records, runEnded()]);
}

/** One space for many: the layout is another test's. */
const words = (text: string) => text.replace(/[ \n]+/g, ' ');

describe('TLS in the report', () => {
  test('the summary has handshakes, sessions, what was decrypted, and connections by address', async () => {
    const { summary } = (await report(REQUESTS)).trials[0]!;
    assert.deepEqual(summary.bytes, { received: 3000, body: 250, sent: 1000, decrypted: 2600 });
    assert.deepEqual(summary.connections, {
      opened: 10,
      reused: 0,
      byAddress: { '10.0.0.5': 5, '10.0.0.6': 5 },
      tlsSessionsReused: 6,
    });
    assert.equal(summary.tls!.max, 40_000);
  });

  test('without TLS and with one address none of it is there', async () => {
    const plain = REQUESTS.map(
      ({ handshakeUs: _, resumed: __, decrypted: ___, address: ____, ...rest }) => rest,
    );
    const made = await report(plain);
    const { summary } = made.trials[0]!;
    assert.deepEqual(summary.bytes, { received: 3000, body: 250, sent: 1000 });
    assert.deepEqual(summary.connections, { opened: 10, reused: 0, byAddress: { '10.0.0.5': 10 } });
    assert.equal(summary.tls, undefined);
    assert.doesNotMatch(formatText(made), /TLS|10\.0\.0\.5: \d|decrypted/);
  });

  test('text says all of it', async () => {
    const text = words(formatText(await report(REQUESTS)));
    assert.match(text, / TLS 40\.0ms /);
    assert.match(text, /6 took up an earlier TLS session 5 to 10\.0\.0\.5, 5 to 10\.0\.0\.6/);
    assert.match(text, /2600 B \([^)]*\) decrypted/);
  });

  test('ab counts the handshake as Connect, and what was decrypted as transferred', async () => {
    const printed = formatAb(await report(REQUESTS));
    assert.match(printed, /^Connect: {7}50 {3}50 {3}0\.0 {5}50 {6}50$/m);
    assert.match(printed, /^Waiting: {7}20 {3}20 {3}0\.0 {5}20 {6}20$/m);
    assert.match(printed, /^Total transferred: {6}2600 bytes$/m);
  });

  test('ab has the connect and the handshake of each connection together: fast ones with slow ones', async () => {
    const paired = REQUESTS.map((request, i) => ({
      ...request,
      connectUs: i % 2 === 0 ? 10_000 : 40_000,
      handshakeUs: i % 2 === 0 ? 40_000 : 10_000,
    }));
    assert.match(formatAb(await report(paired)), /^Connect: {7}50 {3}50 {3}0\.0 {5}50 {6}50$/m);
  });
});
