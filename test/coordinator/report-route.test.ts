/** What of a report goes over HTTP: all of it, unless the format that it is for needs less. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createApi } from '../../coordinator/api.ts';
import { CoordinatorClient } from '../../coordinator/client.ts';
import { DataDirectory } from '../../coordinator/data-directory.ts';
import { JournalWriter } from '../../coordinator/journal.ts';
import { localUrl, openPort } from '../../coordinator/port.ts';
import { Registry } from '../../coordinator/registry.ts';
import { buildReport } from '../../coordinator/report/model.ts';
import type { Report } from '../../coordinator/report/schema.ts';
import { ScriptStore } from '../../coordinator/scripts/store.ts';
import { sweepRun } from './report/journal-fixture.ts';

const RUN = '20260101-000000-abcd';

describe('a report over HTTP', () => {
  let root: string;
  let server: Server;
  let api: FastifyInstance;
  let client: CoordinatorClient;

  before(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'broadside-report-'));
    const data = await DataDirectory.open(root);
    mkdirSync(data.run(RUN), { recursive: true });
    const writer = await JournalWriter.open(data.run(RUN));
    await Promise.all(sweepRun().map((record) => writer.append(record)));
    await writer.close();
    server = await openPort('127.0.0.1', 0);
    const scripts = new ScriptStore(data.root);
    // No run is submitted.
    const runs = new Promise<never>(() => {});
    api = createApi({ server, token: undefined, data, registry: new Registry(), scripts, runs });
    await api.ready();
    client = new CoordinatorClient(localUrl('127.0.0.1', server), undefined);
  });
  after(async () => {
    await api.close();
    server.closeAllConnections();
    server.close();
    rmSync(root, { recursive: true });
  });

  const contents = ({ trials }: Report) => ({
    histograms: trials.filter(({ summary }) => summary.latency.histogram !== '').length,
    seconds: trials.filter(({ timeline }) => timeline.length > 0).length,
  });

  test('is the whole one, as from the journal', async () => {
    assert.deepEqual(await client.report(RUN), JSON.parse(JSON.stringify(await buildReport(sweepRun()))));
  });

  test('has no histograms, or nothing by the second, where that is not needed', async () => {
    assert.deepEqual(contents(await client.report(RUN, {})), { histograms: 19, seconds: 20 });
    assert.deepEqual(contents(await client.report(RUN, { histograms: false })), {
      histograms: 0,
      seconds: 20,
    });
    assert.deepEqual(contents(await client.report(RUN, { histograms: false, secondLatencies: false })), {
      histograms: 0,
      seconds: 0,
    });
  });

  test('has the latencies of each second where they are asked for', async () => {
    const [trial] = (await client.report(RUN, { secondHistograms: true })).trials;
    assert.ok(trial!.timeline[0]!.histogram !== undefined);
  });
});
