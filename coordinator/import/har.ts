/** A HAR file, as browsers save it, → a scenario for the built-in engine: its requests, by how often each was sent. Pure. */
import { z } from 'zod';
import type { ScenarioSource } from '../../shared/domain/scenario.ts';
import { escapeReferences } from '../../shared/domain/sweep.ts';
import { BroadsideError } from '../../shared/errors.ts';

const pair = z.looseObject({ name: z.string(), value: z.string() });
const request = z.looseObject({
  method: z.string(),
  url: z.string(),
  headers: z.array(pair).default([]),
  postData: z
    .looseObject({
      mimeType: z.string().optional(),
      text: z.string().optional(),
      params: z
        .array(
          z.looseObject({ name: z.string(), value: z.string().optional(), fileName: z.string().optional() }),
        )
        .optional(),
    })
    .optional(),
});
const har = z.looseObject({ log: z.looseObject({ entries: z.array(z.looseObject({ request })) }) });
type HarRequest = z.output<typeof request>;

export interface Imported {
  scenario: ScenarioSource;
  /** What is not in the scenario, by name, each once. */
  dropped: string[];
}

/** What the engine sets by itself, what belongs to one connection, and what a browser says of itself. */
const NOT_SENT =
  /^(:.*|host|content-length|connection|keep-alive|transfer-encoding|te|upgrade|upgrade-insecure-requests|sec-.*|priority|if-none-match|if-modified-since)$/i;
const CREDENTIALS = /^(cookie|authorization|proxy-authorization)$/i;
const MOST_REQUESTS = 1_000;

/**
 * @param name for messages
 * @param origin whose requests are taken; undefined: the one that most requests went to
 * @throws BroadsideError FILE_UNREADABLE for what is no HAR, USAGE for an origin without requests
 */
export function importHar(text: string, name: string, origin?: string): Imported {
  const all = readRequests(text, name);
  const drops = new Set<string>();
  const usable = all.filter(({ url }) => {
    if (/^https?:/i.test(url) && URL.canParse(url)) return true;
    drops.add(`requests of ${url.slice(0, url.indexOf(':') + 1) || 'no'} scheme (${shortened(url)})`);
    return false;
  });
  const byOrigin = grouped(usable);
  const chosen = origin === undefined ? largest(byOrigin) : new URL(origin).origin;
  const taken = byOrigin.get(chosen);
  if (taken === undefined) {
    const there = [...byOrigin.keys()].join(', ') || 'no request over http';
    throw new BroadsideError(
      'USAGE',
      `${name}: has no request to ${origin ?? 'any server'}; it has ${there}`,
    );
  }
  for (const [other, { length }] of byOrigin)
    if (other !== chosen)
      drops.add(
        `${length} ${length === 1 ? 'request' : 'requests'} to ${other} (to take them instead: --origin)`,
      );

  const weights = new Map<string, { request: Record<string, unknown>; weight: number }>();
  for (const one of taken) {
    const made = requestOf(one, drops);
    const key = JSON.stringify(made);
    const known = weights.get(key);
    if (known === undefined) weights.set(key, { request: made, weight: 1 });
    else known.weight++;
  }
  if (weights.size > MOST_REQUESTS)
    throw new BroadsideError(
      'USAGE',
      `${name}: has ${weights.size} different requests; ${MOST_REQUESTS} can be taken at most`,
    );
  if (taken.length > 1) drops.add('the order of the requests, and the time between them');
  const nameOf = uniqueNames();
  const requests = [...weights.values()].map(({ request: one, weight }) => ({
    ...one,
    name: nameOf(String(one.name)),
    weight,
  }));
  return {
    scenario: {
      name: `requests of ${name}`,
      targets: { target: chosen },
      requests,
      load: { executor: 'constant-connections', connections: 1, duration: '10s' },
    },
    dropped: [...drops],
  };
}

function readRequests(text: string, name: string): HarRequest[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BroadsideError('FILE_UNREADABLE', `${name}: is not JSON, and so no HAR`);
  }
  const read = har.safeParse(value);
  if (read.success) return read.data.log.entries.map((entry) => entry.request);
  const { path, message } = read.error.issues[0]!;
  throw new BroadsideError(
    'FILE_UNREADABLE',
    `${name}: is no HAR: ${path.join('.') || 'the file'}: ${message}`,
  );
}

function grouped(requests: readonly HarRequest[]): Map<string, HarRequest[]> {
  const groups = new Map<string, HarRequest[]>();
  for (const one of requests) {
    const { origin } = new URL(one.url);
    groups.set(origin, [...(groups.get(origin) ?? []), one]);
  }
  return groups;
}

function largest(groups: ReadonlyMap<string, readonly HarRequest[]>): string {
  return [...groups].reduce<[string, number]>(
    (most, [origin, { length }]) => (length > most[1] ? [origin, length] : most),
    ['', 0],
  )[0];
}

function requestOf(
  { method, url, headers, postData }: HarRequest,
  drops: Set<string>,
): Record<string, unknown> {
  const { pathname, search } = new URL(url);
  const path = escapeReferences(`${pathname}${search}`);
  const kept: Record<string, string> = {};
  for (const { name, value } of headers) {
    if (CREDENTIALS.test(name)) drops.add(`the header ${name.toLowerCase()}, which is a secret`);
    else if (!NOT_SENT.test(name)) kept[name] = escapeReferences(value);
  }
  const body = bodyOf(postData, drops);
  return {
    name: shortened(`${method} ${pathname}`),
    method,
    path,
    ...(Object.keys(kept).length > 0 && { headers: kept }),
    ...(body !== undefined && { body: escapeReferences(body) }),
  };
}

function bodyOf(postData: HarRequest['postData'], drops: Set<string>): string | undefined {
  if (postData === undefined) return undefined;
  const { text, params = [] } = postData;
  if (text !== undefined && text !== '') return text;
  if (params.length === 0) return undefined;
  if (params.some(({ fileName }) => fileName !== undefined)) {
    drops.add('files of forms, which a HAR does not have');
    return undefined;
  }
  return new URLSearchParams(
    params.map(({ name, value = '' }): [string, string] => [name, value]),
  ).toString();
}

/** One path is often asked for with several queries or headers: all but the first have a number. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    let free = name;
    for (let number = 2; taken.has(free); number++) free = `${name} #${number}`;
    taken.add(free);
    return free;
  };
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
