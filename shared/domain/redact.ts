/** What must not reach a journal, a log or a report is taken out here (DESIGN rule 10). */
import type { RequestPlan, TrialPlan } from './run.ts';
import type { TransportPlan } from './transport.ts';

export const REDACTED = '[redacted]';

/** Also `X-Auth-Token`, `X-Amz-Security-Token`, `X-CSRF-Token`, `Set-Cookie`, `X-Session-Id` and their like. */
const SECRET_NAME =
  /auth|cookie|token|secret|passw|pwd|session|credential|signature|api[-_]?key|access[-_]?key/i;
const SECRET_PARAMETER = new RegExp(`${SECRET_NAME.source}|^(key|sig|pass|code)$`, 'i');

/** The plan without the values of credential headers and parameters, without userinfo, and without bodies and rows. */
export function redactForJournal(plan: TrialPlan): TrialPlan {
  return {
    ...plan,
    target: { ...plan.target, url: redactUrl(plan.target.url) },
    requests: plan.requests.map(redactRequest),
    ...(plan.transport !== undefined && { transport: redactTransport(plan.transport) }),
    ...(plan.k6 !== undefined && { k6: { ...plan.k6, env: redactVariables(plan.k6.env) } }),
    ...(plan.data !== undefined && { data: { ...plan.data, rows: [] } }),
  };
}

/** By their names; URLs among the values without their secrets. */
function redactVariables(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      SECRET_PARAMETER.test(name) ? REDACTED : redactUrl(value),
    ]),
  );
}

/** Short ones stand in every other word, and hide nothing. */
const SHORTEST_SECRET = 4;

/** Takes the values of variables that are secrets out of a text. */
export function redactText(text: string, env: Record<string, string>): string {
  return Object.entries(env).reduce(
    (redacted, [name, value]) =>
      SECRET_PARAMETER.test(name) && value.length >= SHORTEST_SECRET
        ? redacted.replaceAll(value, REDACTED)
        : redacted,
    text,
  );
}

/** A key is a secret; certificates are not, but they are long, and would be written for every trial. */
function redactTransport({ tls, ...rest }: TransportPlan): TransportPlan {
  if (tls === undefined) return rest;
  const { ca, cert, key, ...settings } = tls;
  return {
    ...rest,
    tls: {
      ...settings,
      ...(ca !== undefined && { ca: REDACTED }),
      ...(cert !== undefined && { cert: REDACTED }),
      ...(key !== undefined && { key: REDACTED }),
    },
  };
}

function redactRequest(request: RequestPlan): RequestPlan {
  // The template repeats what `url`, `headers` and the body say.
  const { bodyBase64, template: _template, ...rest } = request;
  return {
    ...rest,
    url: redactUrl(request.url),
    headers: request.headers.map(([name, value]) => [name, SECRET_NAME.test(name) ? REDACTED : value]),
    ...(bodyBase64 !== undefined && { bodyBase64: redactedBody(bodyBase64) }),
  };
}

/** `[redacted, 1234 bytes]`. */
function redactedBody(base64: string): string {
  const bytes = Buffer.byteLength(base64, 'base64');
  return `[redacted, ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}]`;
}

export function redactUrl(url: string): string {
  return url
    .replace(/^([^:/?#]+:\/\/)[^/?#]*@/, `$1${REDACTED}@`)
    .replace(/([?&;])([^=&;#]+)=([^&;#]*)/g, (pair, before: string, name: string) =>
      SECRET_PARAMETER.test(name) ? `${before}${name}=${REDACTED}` : pair,
    );
}
