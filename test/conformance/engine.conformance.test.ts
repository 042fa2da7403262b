/** Every case against every engine; the short ones once more for each byte at which the reply can come in two pieces. */
import { after, before, describe, test } from 'node:test';
import type { EngineFactory } from '../../worker/engine/engine.ts';
import { createHttpEngine } from '../../worker/engine/http/http-engine.ts';
import { certificate } from '../support/certificates.ts';
import { ScriptedServer } from '../support/scripted-server.ts';
import { ONLY_TLS } from './cases/only-tls.ts';
import { CASES } from './cases.ts';
import { cutCases, runCase } from './run-case.ts';

const ENGINES: Record<string, EngineFactory> = { http: createHttpEngine };

for (const [engine, create] of Object.entries(ENGINES)) {
  describe(`engine ${engine}`, () => {
    let server: ScriptedServer;
    before(async () => {
      server = await ScriptedServer.listen();
    });
    after(() => server.close());

    for (const one of CASES) {
      test(one.name, { timeout: 20_000 }, async () => {
        await runCase(create, server, one);
        for (const pieces of cutCases(one)) {
          try {
            await runCase(create, server, pieces);
          } catch (error) {
            throw new Error(`with the bytes ${pieces.name}`, { cause: error });
          }
        }
      });
    }
  });

  describe(`engine ${engine}, over TLS`, () => {
    let server: ScriptedServer;
    before(async () => {
      server = await ScriptedServer.listen(certificate('server'));
    });
    after(() => server.close());

    for (const one of [...CASES.filter(({ plainOnly }) => !plainOnly), ...ONLY_TLS]) {
      test(one.name, { timeout: 20_000 }, () => runCase(create, server, one));
    }
  });
}
