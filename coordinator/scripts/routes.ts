/**
 * Script packages over HTTP, beside the rest of the API (`coordinator/api.ts`):
 *
 *     PUT  /api/scripts/:sha256    the package's bytes, application/x-tar → { sha256 }
 *     GET  /api/scripts/:sha256    its bytes; HEAD asks whether it is there
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { BroadsideError } from '../../shared/errors.ts';
import { MOST_PACKAGE_BYTES, tooLarge } from '../../shared/script-package.ts';
import { PACKAGE_TYPE } from './package-type.ts';
import type { ScriptStore } from './store.ts';

interface Named {
  Params: { sha256: string };
}

export function addScriptRoutes(api: FastifyInstance, scripts: ScriptStore): void {
  // The stream itself: a package is never held in memory.
  api.addContentTypeParser(PACKAGE_TYPE, ({ headers }, body, done) => {
    if (Number(headers['content-length']) > MOST_PACKAGE_BYTES) done(tooLarge());
    else done(null, body);
  });
  api.put<Named>(
    '/api/scripts/:sha256',
    { bodyLimit: MOST_PACKAGE_BYTES },
    async ({ params, body }, reply) => {
      await scripts.put(params.sha256, body as Readable);
      return reply.code(201).send({ sha256: params.sha256 });
    },
  );
  api.get<Named>('/api/scripts/:sha256', async ({ params }, reply) => {
    const found = await scripts.read(params.sha256);
    if (found === undefined) throw new BroadsideError('SCRIPT_NOT_FOUND', 'there is no such script package');
    return reply.header('content-length', found.bytes).type(PACKAGE_TYPE).send(found.content);
  });
}

/**
 * A scenario with a script is submitted when its package is here.
 * @throws BroadsideError SCENARIO_INVALID, SCRIPT_NOT_FOUND
 */
export async function checkPackages(scenario: Scenario, scripts: ScriptStore): Promise<void> {
  for (const { k6 } of planTrials(scenario)) {
    if (k6 === undefined) continue;
    if (k6.package === undefined) {
      throw new BroadsideError(
        'SCENARIO_INVALID',
        'scenario: k6.script: a script can be named only in a scenario file that `coordinator run` reads; ' +
          'here bring its package first (PUT /api/scripts/<sha256>), and name that in k6.package',
      );
    }
    if (await scripts.has(k6.package.sha256)) return;
    throw new BroadsideError('SCRIPT_NOT_FOUND', `the script package ${k6.package.sha256} is not here`, {
      hint: 'bring it first: PUT /api/scripts/<sha256>',
    });
  }
}
