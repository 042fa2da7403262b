/** `request` and `requests` of a scenario: their keys, and the request plans that they become. */
import { z } from 'zod';
import { count, duration, field, listField, mapping, name, Refusal, refuse, size } from './fields.ts';
import { basicAuthorization, encodePath, type HttpUrl } from './http-url.ts';
import { show } from './problem.ts';
import type { RequestPlan, RowTemplate, RowText } from './run.ts';
import { joinColumns, splitAtColumns, withColumnNames } from './sweep.ts';
import { formatSize } from './units.ts';
import { cycleLength, LONGEST_CYCLE } from './weighted-order.ts';

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
  // Values of columns are encoded when they are known.
  const pieces = splitAtColumns(value).map((piece, i) => (i % 2 === 0 ? encodePath(piece) : piece));
  const refused = pieces.find((piece) => piece instanceof Refusal);
  return refused ?? joinColumns(pieces as string[]);
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

const LONGEST_CONTAINED = 4096;

const contains = field((value) => {
  if (typeof value !== 'string' || value === '') return refuse(value, 'a text that the body must contain');
  if (value.length <= LONGEST_CONTAINED) return value;
  return new Refusal(
    `the text is longer than ${LONGEST_CONTAINED} characters; compare the whole body by sha256`,
  );
});

const sha256 = field((value) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)
    ? value.toLowerCase()
    : refuse(value, 'a SHA-256 in hexadecimal, 64 digits (sha256sum FILE prints it)'),
);

export const MOST_BODY_BYTES = 32 * 1024 ** 2;

const bodySize = z.unknown().transform((value, context): number => {
  const read = size.safeParse(value);
  const message = read.success
    ? `${show(value)} is larger than ${formatSize(MOST_BODY_BYTES)}, the most that a body may have`
    : read.error.issues[0]!.message;
  if (read.success && read.data <= MOST_BODY_BYTES) return read.data;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

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

const BODIES = ['body', 'bodyFile', 'bodyBase64', 'bodySize'] as const;

const shape = {
  name: name('a name for the report').optional(),
  method: method.optional(),
  path: path.optional(),
  headers: headers.default([]),
  body: body.optional(),
  bodyFile: bodyFile.optional(),
  bodyBase64: bodyBase64.optional(),
  bodySize: bodySize.optional(),
  timeout: duration.default(10_000_000),
  connectTimeout: duration.default(5_000_000),
  expect: mapping(
    {
      status: status.optional(),
      length: size.optional(),
      contains: contains.optional(),
      sha256: sha256.optional(),
    },
    '{ status: 200 }',
  ).optional(),
};

type Given = Partial<Record<(typeof BODIES)[number], unknown>>;

function checkBodies(request: Given, context: z.RefinementCtx): void {
  const given = BODIES.filter((key) => request[key] !== undefined);
  if (given.length < 2) return;
  context.addIssue({
    code: 'custom',
    message: bodyGivenTwice(given[0]!, given[1]!),
    path: [given[1]!],
  });
}

export const requestSchema = mapping(shape, '{ path: "/" }', {
  weight: 'one request needs none; several go under "requests"',
}).superRefine(checkBodies);
export type RequestSpec = z.output<typeof requestSchema>;

/** More would cost a histogram each in every thread; the way to many paths is `urls` or `data`. */
export const MOST_REQUESTS = 100;

const weighted = mapping(
  { ...shape, name: name('a name for the report'), weight: count(LONGEST_CYCLE).default(1) },
  '{ name: home, weight: 3, path: "/" }',
).superRefine(checkBodies);

export const requestsSchema = listField(
  weighted,
  '[{ name: home, weight: 3, path: "/" }, { name: search, path: "/find?q=x" }]',
).superRefine((requests, context) => {
  const refuseAt = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', message, path });
  if (requests.length === 0) refuseAt([], 'the list is empty; expected one request or more');
  if (requests.length > MOST_REQUESTS) {
    const many = `${requests.length} requests are more than ${MOST_REQUESTS}; for many paths use "urls" or "data"`;
    refuseAt([], many);
  }
  requests.forEach((request, i) => {
    const first = requests.findIndex((other) => other.name === request.name);
    if (first < i) refuseAt([i, 'name'], `${show(request.name)} is the name of another request already`);
  });
  if (requests.length > 0 && cycleLength(requests.map(({ weight }) => weight)) > LONGEST_CYCLE) {
    refuseAt(
      [],
      `the weights sum to more than ${LONGEST_CYCLE}; round them, so that they have a common factor`,
    );
  }
});
export type WeightedRequestSpec = z.output<typeof weighted>;

/** Encodes text as base64; equal bodies of many cells share one string. */
export type EncodeBody = (text: string) => string;

/**
 * One request of one cell at one target. A body without a method is a POST.
 * @param columns of the data, if there are any
 */
export function requestPlan(
  spec: RequestSpec & { weight?: number },
  target: HttpUrl,
  encode: EncodeBody,
  columns: readonly string[] = [],
): RequestPlan {
  const body = spec.body === undefined ? undefined : withColumnNames(spec.body);
  const bodyText = body === undefined ? spec.bodyBase64 : encode(body);
  const sendsBody = bodyText !== undefined || spec.bodySize !== undefined;
  const named = spec.headers.some(([headerName]) => headerName.toLowerCase() === 'authorization');
  const login: Header[] =
    target.credentials === undefined || named
      ? []
      : [['Authorization', basicAuthorization(target.credentials)]];
  return {
    name: spec.name ?? 'request',
    weight: spec.weight ?? 1,
    method: spec.method ?? (sendsBody ? 'POST' : 'GET'),
    url:
      spec.path === undefined
        ? `${target.origin}${target.path || '/'}`
        : `${target.base}${withColumnNames(spec.path)}`,
    headers: [...spec.headers.map(([header, value]): Header => [header, withColumnNames(value)]), ...login],
    ...(bodyText !== undefined && { bodyBase64: bodyText }),
    ...(spec.bodySize !== undefined && { bodySize: spec.bodySize }),
    timeoutUs: spec.timeout,
    connectTimeoutUs: spec.connectTimeout,
    ...(spec.expect !== undefined && { expect: withoutUndefined(spec.expect) }),
    ...templateOf(spec, target, columns),
  };
}

function templateOf(
  spec: RequestSpec,
  target: HttpUrl,
  columns: readonly string[],
): { template?: RowTemplate } {
  if (columns.length === 0) return {};
  const path = spec.path === undefined ? undefined : rowText(spec.path, columns);
  const body = spec.body === undefined ? undefined : rowText(spec.body, columns);
  const headerTexts = spec.headers.flatMap(([, value], i): [number, RowText][] => {
    const text = rowText(value, columns);
    return text === undefined ? [] : [[i, text]];
  });
  const template: RowTemplate = {
    ...(path !== undefined && { path: [target.base.slice(target.origin.length), ...path] }),
    ...(headerTexts.length > 0 && { headers: headerTexts }),
    ...(body !== undefined && { body }),
  };
  return Object.keys(template).length === 0 ? {} : { template };
}

/** The pieces of a text in which there are columns; undefined for any other. */
function rowText(text: string, columns: readonly string[]): RowText | undefined {
  const pieces = splitAtColumns(text);
  if (pieces.length === 1) return undefined;
  return pieces.flatMap((piece, i): RowText => {
    if (i % 2 === 1) return [columns.indexOf(piece)];
    return piece === '' ? [] : [piece];
  });
}

/** Plain data travels as JSON, where a key without a value does not exist. */
function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as T;
}
