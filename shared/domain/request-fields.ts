/** The keys of a request, one by one: what each takes, and what it says when it does not. */
import { z } from 'zod';
import { field, Refusal, refuse, size } from './fields.ts';
import { encodePath } from './http-url.ts';
import { show } from './problem.ts';
import { joinColumns, splitAtColumns } from './sweep.ts';
import { formatSize } from './units.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const COMMON_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export const method = field((value) => {
  if (typeof value !== 'string' || !TOKEN.test(value)) return refuse(value, 'a method such as GET or POST');
  const upper = value.toUpperCase();
  if (value === upper || !COMMON_METHODS.includes(upper)) return value;
  return new Refusal(`methods are case-sensitive; did you mean "${upper}"?`);
});

export const path = field((value) => {
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

export type Header = [name: string, value: string];

/** Name → text, or a list of texts for a header that is sent several times. */
export const headers = z.unknown().transform((value, context): Header[] => {
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

export const body = field((value) =>
  typeof value === 'string' ? value : refuse(value, 'text (put it in quotes)'),
);

const LONGEST_CONTAINED = 4096;

export const contains = field((value) => {
  if (typeof value !== 'string' || value === '') return refuse(value, 'a text that the body must contain');
  if (value.length <= LONGEST_CONTAINED) return value;
  return new Refusal(
    `the text is longer than ${LONGEST_CONTAINED} characters; compare the whole body by sha256`,
  );
});

export const sha256 = field((value) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)
    ? value.toLowerCase()
    : refuse(value, 'a SHA-256 in hexadecimal, 64 digits (sha256sum FILE prints it)'),
);

export const MOST_BODY_BYTES = 32 * 1024 ** 2;

export const bodySize = z.unknown().transform((value, context): number => {
  const read = size.safeParse(value);
  const message = read.success
    ? `${show(value)} is larger than ${formatSize(MOST_BODY_BYTES)}, the most that a body may have`
    : read.error.issues[0]!.message;
  if (read.success && read.data <= MOST_BODY_BYTES) return read.data;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const bodyBase64 = field((value) => {
  if (typeof value !== 'string') return refuse(value, 'base64 text');
  // What decodes and encodes to the same length had no stray characters in it.
  const bytes = Buffer.from(value, 'base64').toString('base64');
  return bytes.replace(/=+$/, '') === value.replace(/=+$/, '') ? bytes : refuse(value, 'base64 text');
});

/** Bodies in files are read where the file is, see `scenario-files.ts`; here one is left only when it was not. */
export const bodyFile = field((value): undefined | Refusal => {
  if (typeof value !== 'string' || value === '') return refuse(value, 'the name of a file');
  return new Refusal(
    'a file can be named only in a scenario file that `coordinator run` or `validate` reads; ' +
      'here give the body as "body" or "bodyBase64"',
  );
});

export const status = z.unknown().transform((value, context): number[] => {
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
