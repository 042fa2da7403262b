/**
 * The HTTP API, under `/api`; the CLI is its first user.
 *
 *     POST /api/runs               { scenario, resume? } → 201 RunStatus; resume: the id of a run to go on with
 *     GET  /api/runs               RunStatus[], oldest first
 *     GET  /api/runs/:id           RunStatus
 *     POST /api/runs/:id/cancel    RunStatus
 *     GET  /api/runs/:id/report    the report JSON (`broadside.report/1`); with ?histograms=seconds one a second, with
 *                                  ?histograms=none none; with ?seconds=none hosts not by the second, and the
 *                                  traffic only of a trial that is the only one
 *     POST /api/preflight          { scenario, calibrate? } → Finding[]
 *     GET  /api/workers            WorkerView[]
 *     PUT, GET /api/scripts/:sha256  a script's package, see scripts/routes.ts
 *     GET  /api/version            { version, protocol }
 *     GET  /api/worker             websocket: a worker's link (shared/protocol/messages.ts)
 *     GET  /api/runs/:id/events    websocket: RunEvent[] of one run, beginning with its state
 *
 * Errors are `{ error: { code, message, hint? } }`.
 */
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { validateScenario } from '../shared/domain/validate-scenario.ts';
import { BroadsideError, type ErrorCode, messageOf } from '../shared/errors.ts';
import type { HostRole } from '../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../shared/protocol/version.ts';
import type { WorkerCapabilities } from '../shared/protocol/worker-facts.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';
import { mayEnter } from './access.ts';
import type { DataDirectory } from './data-directory.ts';
import { isRunId } from './data-directory.ts';
import { readJournal } from './journal-file.ts';
import type { Registry } from './registry.ts';
import { withoutHistograms, withoutSeconds } from './report/light-report.ts';
import { buildReport } from './report/model.ts';
import type { Runs } from './runs.ts';
import { addScriptRoutes, checkPackages } from './scripts/routes.ts';
import type { ScriptStore } from './scripts/store.ts';

/** A scenario of 1 MiB with its body file inline. */
const BODY_LIMIT = 64 * 1024 * 1024;

const STATUS: Partial<Record<ErrorCode, number>> = {
  UNAUTHORIZED: 401,
  HOOKS_NOT_ALLOWED: 403,
  RUN_NOT_FOUND: 404,
  SCRIPT_NOT_FOUND: 404,
  SCENARIO_INVALID: 400,
  USAGE: 400,
};

export interface WorkerView {
  name: string;
  role: HostRole;
  pool: string;
  connected: boolean;
  capabilities: WorkerCapabilities;
  clockOffsetUs: number;
  clockUncertaintyUs: number;
  cpu?: number;
  residentBytes?: number;
}

interface ReportRoute {
  Params: { id: string };
  Querystring: { histograms?: string; seconds?: string };
}

export interface ApiOptions {
  /** Listening already; the API answers its requests. */
  server: Server;
  token: string | undefined;
  data: DataDirectory;
  registry: Registry;
  scripts: ScriptStore;
  /** Resolves when runs can be queued. */
  runs: Promise<Runs>;
}

export function createApi({ server, token, data, registry, scripts, runs }: ApiOptions): FastifyInstance {
  const api = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    serverFactory: (handler) => server.on('request', handler),
  });

  api.addHook('onRequest', async (request) => {
    if (!mayEnter(request.headers, token)) throw unauthorized(token);
  });
  api.setErrorHandler((error, _request, reply) => sendError(reply, error));
  api.setNotFoundHandler((request, reply) =>
    sendError(reply, new BroadsideError('USAGE', `there is no ${request.method} ${request.url}`), 404),
  );

  api.get('/api/version', () => ({ version: BROADSIDE_VERSION, protocol: PROTOCOL_VERSION }));
  api.post('/api/runs', async (request, reply) => {
    const { scenario, resume } = (request.body ?? {}) as { scenario?: unknown; resume?: unknown };
    const resumed = resume === undefined ? undefined : String(resume);
    const checked = validateScenario(scenario, 'scenario');
    await checkPackages(checked, scripts);
    const status = await (await runs).submit(checked, resumed);
    return reply.code(201).send(status);
  });
  api.get('/api/runs', async () => (await runs).list());
  api.get<{ Params: { id: string } }>('/api/runs/:id', async ({ params }) => (await runs).get(params.id));
  api.post<{ Params: { id: string } }>('/api/runs/:id/cancel', async ({ params }) =>
    (await runs).cancel(params.id, 'cancelled by the user'),
  );
  api.get<ReportRoute>('/api/runs/:id/report', async ({ params, query }) => {
    if (!isRunId(params.id) || !existsSync(data.run(params.id))) {
      throw new BroadsideError('RUN_NOT_FOUND', `there is no run ${params.id}`, {
        hint: 'see `coordinator list`',
      });
    }
    const bySecond = query.seconds !== 'none';
    const whole = await buildReport(readJournal(data.run(params.id)), {
      secondHistograms: query.histograms === 'seconds',
      secondLatencies: bySecond,
    });
    const report = bySecond ? whole : withoutSeconds(whole);
    return query.histograms === 'none' ? withoutHistograms(report) : report;
  });
  api.post('/api/preflight', async (request) => {
    const { scenario, calibrate } = (request.body ?? {}) as { scenario?: unknown; calibrate?: unknown };
    return (await runs).preflight(validateScenario(scenario, 'scenario'), { calibrate: calibrate === true });
  });
  addScriptRoutes(api, scripts);
  api.get('/api/workers', () => registry.all().map(viewOf));
  return api;
}

export function unauthorized(token: string | undefined): BroadsideError {
  return token === undefined
    ? new BroadsideError('UNAUTHORIZED', 'requests from other pages are not taken')
    : new BroadsideError('UNAUTHORIZED', 'the token is missing or wrong', {
        hint: 'give the one that `coordinator start` printed, with --token or $BROADSIDE_TOKEN',
      });
}

function viewOf(session: ReturnType<Registry['all']>[number]): WorkerView {
  const { offsetUs, uncertaintyUs } = session.clockOffset();
  return {
    name: session.name,
    role: session.hello.role,
    pool: session.hello.pool,
    connected: session.connected,
    capabilities: session.hello.capabilities,
    clockOffsetUs: Math.round(offsetUs),
    clockUncertaintyUs: Number.isFinite(uncertaintyUs) ? Math.round(uncertaintyUs) : -1,
    ...session.host,
  };
}

function sendError(reply: FastifyReply, error: unknown, status?: number): FastifyReply {
  if (error instanceof BroadsideError) {
    const { code, message, hint } = error;
    return reply
      .code(status ?? STATUS[code] ?? 500)
      .send({ error: { code, message, ...(hint === undefined ? {} : { hint }) } });
  }
  // Fastify's own refusals (a body that is not JSON, one that is too large) carry their status.
  const own = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const code: ErrorCode = own < 500 ? 'USAGE' : 'INTERNAL';
  return reply.code(own).send({ error: { code, message: messageOf(error) } });
}
