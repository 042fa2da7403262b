/** `request` and `requests` of a scenario: which keys go together. */
import type { z } from 'zod';
import { count, duration, listField, mapping, name, size } from './fields.ts';
import { show } from './problem.ts';
import {
  body,
  bodyBase64,
  bodyFile,
  bodySize,
  contains,
  headers,
  method,
  path,
  sha256,
  status,
} from './request-fields.ts';
import { cycleLength, LONGEST_CYCLE } from './weighted-order.ts';

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
