/** From a request's plan to the bytes on the wire. Pure; done once, before any load. */
import type { Expectation, RequestPlan, RowText } from '../../../shared/domain/run.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { BodyCheck } from './body-check.ts';
import { type Part, RowRequest } from './row-request.ts';

export interface PreparedRequest {
  /** Its place among the engine's requests. */
  index: number;
  bytes: Buffer;
  /** Makes the bytes from a row, where the request differs by row. */
  rows: RowRequest | null;
  /** A HEAD: its reply has no body whatever the reply's head says. */
  bodyless: boolean;
  /** Whether the request lets the connection be used again. */
  keepAlive: boolean;
  /** `Expect: 100-continue`: the body waits until the server asks for it. */
  awaitsContinue: boolean;
  expect: Expectation;
  /** Whether `expect` is about what is in the entity. */
  checksBody: boolean;
  timeoutUs: number;
  connectTimeoutUs: number;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Methods that announce an empty body too (RFC 9110, 8.6). */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Headers go out as written and in order; `Host` before them, and `Content-Length`, `Connection` and, for a URL with
 * credentials, `Authorization` after them where the plan has none. With `Transfer-Encoding: chunked` in the plan
 * the body goes out as one chunk. Text is encoded as UTF-8.
 * @throws BroadsideError USAGE for what cannot be written as an HTTP/1.1 request
 */
export function prepareRequest(plan: RequestPlan, keepAlive: boolean, index = 0): PreparedRequest {
  const url = new URL(plan.url);
  checkPlan(plan);
  const given = (name: string): string | undefined =>
    plan.headers.find(([other]) => other.toLowerCase() === name)?.[1];
  const expect = plan.expect ?? {};
  const body = bodyOf(plan);
  const { path, pathIsEncoded = false, headers = [], body: bodyOfRows } = plan.template ?? {};
  const ofRows = new Map(headers);
  const head: Part[] = [];
  const line = (...parts: Part[]): void => void head.push(...parts, '\r\n');

  const target = path === undefined ? [`${url.pathname}${url.search}`] : partsOf(path, !pathIsEncoded);
  line(`${plan.method} `, ...target, ' HTTP/1.1');
  if (given('host') === undefined) line(`Host: ${url.host}`);
  plan.headers.forEach(([name, value], i) => {
    line(`${name}: `, ...partsOf(ofRows.get(i) ?? [value], false));
  });
  if (url.username !== '' && given('authorization') === undefined) {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    line(`Authorization: Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  const announced = given('content-length') !== undefined || given('transfer-encoding') !== undefined;
  const hasBody = body.length > 0 || METHODS_WITH_BODY.has(plan.method);
  if (!announced && hasBody && bodyOfRows === undefined) line(`Content-Length: ${body.length}`);
  const connection = given('connection');
  if (connection === undefined) line(`Connection: ${keepAlive ? 'keep-alive' : 'close'}`);

  const chunked = /\bchunked\s*$/i.test(given('transfer-encoding') ?? '');
  const rows = new RowRequest(
    head,
    bodyOfRows === undefined ? (chunked ? asOneChunk(body) : body) : partsOf(bodyOfRows, false),
  );
  return {
    index,
    bytes: rows.bytes([]),
    rows: plan.template === undefined ? null : rows,
    bodyless: plan.method === 'HEAD',
    keepAlive: keepAlive && !/\bclose\b/i.test(connection ?? ''),
    awaitsContinue: body.length > 0 && /^100-continue$/i.test(given('expect') ?? ''),
    expect,
    checksBody: BodyCheck.isNeeded(expect),
    timeoutUs: plan.timeoutUs,
    connectTimeoutUs: plan.connectTimeoutUs,
  };
}

function partsOf(text: RowText, encoded: boolean): Part[] {
  return text.map((piece) => (typeof piece === 'string' ? piece : { column: piece, encoded }));
}

function bodyOf({ bodyBase64, bodySize }: RequestPlan): Buffer {
  return bodySize === undefined ? Buffer.from(bodyBase64 ?? '', 'base64') : generatedBody(bodySize);
}

/** Lines of letters and digits, no two neighbours alike, so that what drops or repeats a piece can be noticed. */
function generatedBody(size: number): Buffer {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const body = Buffer.allocUnsafe(size);
  for (let at = 0, line = 0; at < size; line++, at += letters.length + 1) {
    const turned = line % letters.length;
    body.write(`${letters.slice(turned)}${letters.slice(0, turned)}\n`, at, 'latin1');
  }
  return body;
}

function checkPlan(plan: RequestPlan): void {
  if (!TOKEN.test(plan.method)) {
    throw new BroadsideError('USAGE', `${JSON.stringify(plan.method)} is not an HTTP method`, {
      hint: 'A method is one word, such as GET or POST.',
    });
  }
  if (plan.method === 'CONNECT') {
    throw new BroadsideError('USAGE', 'the http engine cannot send CONNECT, which opens a tunnel', {
      hint: 'Use a method that asks for a reply, such as GET.',
    });
  }
  for (const [name, value] of plan.headers) {
    if (!TOKEN.test(name)) {
      throw new BroadsideError('USAGE', `${JSON.stringify(name)} is not a header name`, {
        hint: 'Write headers as "Name: value".',
      });
    }
    if (/[\r\n\0]/.test(value)) {
      throw new BroadsideError('USAGE', `the value of the header ${name} has a line break or a NUL in it`, {
        hint: 'A header is one line.',
      });
    }
  }
}

function asOneChunk(body: Buffer): Buffer {
  const end = Buffer.from('0\r\n\r\n');
  if (body.length === 0) return end;
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n'), end]);
}
