/** `request` of a scenario: its keys, and the request plan that it becomes. */
import { z } from 'zod';
import { duration, field, mapping, Refusal, refuse, size } from './fields.ts';
import { basicAuthorization, encodePath, type HttpUrl } from './http-url.ts';
import { show } from './problem.ts';
import type { RequestPlan } from './run.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const COMMON_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const method = field((value) => {
  if (typeof value !== 'string' || !TOKEN.test(value)) return refuse(value, 'a method such as GET or POST');
  const upper = value.toUpperCase();
  if (value === upper || !COMMON_METHODS.includes(upper)) return value;
  return new Refusal(`methods are case-sensitive; did you mean "${upper}"?`);
});

const path = field((value) => {
  const expected = 'a path such as "/index.html"';
  if (typeof value !== 'string') return refuse(value, expected);
  if (!value.startsWith('/'))
    return new Refusal(`${show(value)} does not start with "/"; expected ${expected}`);
  if (value.includes('#'))
    return new Refusal(`${show(value)} has a fragment (#…), which is never sent; remove it`);
  return encodePath(value);
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const NOT_IN_HEADERS = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const FRAMING = ['content-length', 'transfer-encoding'];

/** Why this cannot be a header; the line breaks matter most, for they would begin another one. */
export function refuseHeader(headerName: string, value: unknown): Refusal | undefined {
  if (!TOKEN.test(headerName)) return new Refusal(`${show(headerName)} is not a header name`);
  if (FRAMING.includes(headerName.toLowerCase())) {
    return new Refusal(`${headerName} is added from the body, so that the two agree; remove it`);
  }
  if (!['string', 'number', 'boolean'].includes(typeof value)) return refuse(value, 'the text of a header');
  if (NOT_IN_HEADERS.test(String(value))) {
    return new Refusal(`${show(value)} has a line break or control character in it`);
  }
  return undefined;
}

type Header = [name: string, value: string];

/** Name → text, or a list of texts for a header that is sent several times. */
const headers = z.unknown().transform((value, context): Header[] => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    context.addIssue({
      code: 'custom',
      message: refuse(value, 'a mapping such as { Accept: "*/*" }').message,
    });
    return z.NEVER;
  }
  const read: Header[] = [];
  for (const [headerName, given] of Object.entries(value)) {
    const all: unknown[] = Array.isArray(given) ? given : [given];
    all.forEach((one, i) => {
      const refusal = refuseHeader(headerName, one);
      if (refusal === undefined) read.push([headerName, String(one)]);
      else {
        const at = Array.isArray(given) ? [headerName, i] : [headerName];
        context.addIssue({ code: 'custom', message: refusal.message, path: at });
      }
    });
  }
  return read;
});

const body = field((value) => (typeof value === 'string' ? value : refuse(value, 'text (put it in quotes)')));

const bodyBase64 = field((value) => {
  if (typeof value !== 'string') return refuse(value, 'base64 text');
  // What decodes and encodes to the same length had no stray characters in it.
  const bytes = Buffer.from(value, 'base64').toString('base64');
  return bytes.replace(/=+$/, '') === value.replace(/=+$/, '') ? bytes : refuse(value, 'base64 text');
});

/** Bodies in files are read where the file is, see `scenario-source.ts`; here one is left only when it was not. */
const bodyFile = field((value): undefined | Refusal => {
  if (typeof value !== 'string' || value === '') return refuse(value, 'the name of a file');
  return new Refusal(
    'a file can be named only in a scenario file that `coordinator run` or `validate` reads; ' +
      'here give the body as "body" or "bodyBase64"',
  );
});

const status = z.unknown().transform((value, context): number[] => {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0)
    context.addIssue({ code: 'custom', message: 'the list is empty; expected such as [200, 304]' });
  all.forEach((code, i) => {
    if (typeof code === 'number' && Number.isInteger(code) && code >= 100 && code <= 599) return;
    const message = refuse(code, 'a status code such as 200, or a list such as [200, 304]').message;
    context.addIssue({ code: 'custom', message, path: Array.isArray(value) ? [i] : [] });
  });
  return all as number[];
});

export function bodyGivenTwice(one: string, other: string): string {
  return `the body is given twice, as "${one}" and as "${other}"; keep one`;
}

const BODIES = ['body', 'bodyFile', 'bodyBase64'] as const;

export const requestSchema = mapping(
  {
    method: method.optional(),
    path: path.optional(),
    headers: headers.default([]),
    body: body.optional(),
    bodyFile: bodyFile.optional(),
    bodyBase64: bodyBase64.optional(),
    timeout: duration.default(10_000_000),
    connectTimeout: duration.default(5_000_000),
    expect: mapping({ status: status.optional(), length: size.optional() }, '{ status: 200 }').optional(),
  },
  '{ path: "/" }',
).superRefine((request, context) => {
  const given = BODIES.filter((key) => request[key] !== undefined);
  if (given.length < 2) return;
  context.addIssue({
    code: 'custom',
    message: bodyGivenTwice(given[0]!, given[1]!),
    path: [given[1]!],
  });
});
export type RequestSpec = z.output<typeof requestSchema>;

/** Encodes text as base64; equal bodies of many cells share one string. */
export type EncodeBody = (text: string) => string;

/** The request of one cell at one target. A body without a method is a POST. */
export function requestPlan(spec: RequestSpec, target: HttpUrl, encode: EncodeBody): RequestPlan {
  const bodyText = spec.body === undefined ? spec.bodyBase64 : encode(spec.body);
  const named = spec.headers.some(([headerName]) => headerName.toLowerCase() === 'authorization');
  const login: Header[] =
    target.credentials === undefined || named
      ? []
      : [['Authorization', basicAuthorization(target.credentials)]];
  return {
    name: 'request',
    weight: 1,
    method: spec.method ?? (bodyText === undefined ? 'GET' : 'POST'),
    url: spec.path === undefined ? `${target.origin}${target.path || '/'}` : `${target.base}${spec.path}`,
    headers: [...spec.headers, ...login],
    ...(bodyText !== undefined && { bodyBase64: bodyText }),
    timeoutUs: spec.timeout,
    connectTimeoutUs: spec.connectTimeout,
    ...(spec.expect !== undefined && { expect: withoutUndefined(spec.expect) }),
  };
}

/** Plain data travels as JSON, where a key without a value does not exist. */
function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as T;
}
