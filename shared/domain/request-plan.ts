/** From a request as it was written to its plan: URL, headers and body of one cell at one target. */
import { basicAuthorization, type HttpUrl } from './http-url.ts';
import type { Header } from './request-fields.ts';
import type { RequestSpec } from './request-spec.ts';
import type { RequestPlan, RowTemplate, RowText } from './run.ts';
import { splitAtColumns, withColumnNames } from './sweep.ts';

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
