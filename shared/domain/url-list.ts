/**
 * A list of URLs to load one after another, as http_load takes it: one URL or path a line, empty lines and those that
 * begin with # left out.
 */
import { z } from 'zod';
import { field, mapping, name, Refusal, refuse } from './fields.ts';
import { encodePath, readHttpUrl } from './http-url.ts';
import { type Problem, show } from './problem.ts';
import { redactUrl } from './redact.ts';
import type { WeightedRequestSpec } from './request-spec.ts';
import type { DataPlan, RequestPlan, Target } from './run.ts';

export const MOST_URLS_BYTES = 8 * 1024 ** 2;
/** Up to here each path is a request of its own in the report; above, all of them are one, named `urls`. */
export const MOST_NAMED_URLS = 50;

const FORM = 'a list of URLs or paths such as ["/", "/a.html"]';

export interface UrlEntry {
  text: string;
  /** Where it stands: in the scenario, or in words where it comes from a file. */
  path: (string | number)[];
  place?: string;
}

const fileLines = mapping(
  {
    file: name('the name of the file'),
    lines: field((value) => (typeof value === 'string' ? value : refuse(value, 'the lines of the file'))),
  },
  '{ file: urls.txt, lines: "/" }',
);

/** The name of a file becomes `{ file, lines }` where the scenario is read, see `scenario-files.ts`. */
export const urlsSchema = z.unknown().transform((value, context): UrlEntry[] => {
  const refuseAt = (path: (string | number)[], message: string) => {
    context.addIssue({ code: 'custom', message, path });
    return z.NEVER;
  };
  if (typeof value === 'string') {
    return refuseAt(
      [],
      'a file can be named only in a scenario file that `coordinator run` or `validate` reads; here give a list',
    );
  }
  const entries = Array.isArray(value) ? entriesOfList(value) : entriesOfFile(value);
  if (entries instanceof Refusal) return refuseAt([], entries.message);
  const wrong = entries.find(({ text }) => typeof text !== 'string');
  if (wrong !== undefined)
    return refuseAt(wrong.path.slice(1), refuse(wrong.text, 'a URL or a path').message);
  const given = entries.filter(({ text }) => text !== '' && !text.startsWith('#'));
  return given.length === 0 ? refuseAt([], `there is no URL in it; expected ${FORM}`) : given;
});

function entriesOfList(list: unknown[]): UrlEntry[] {
  return list.map((text, i) => ({
    text: typeof text === 'string' ? text.trim() : (text as string),
    path: ['urls', i],
  }));
}

function entriesOfFile(value: unknown): UrlEntry[] | Refusal {
  const read = fileLines.safeParse(value);
  if (!read.success) return refuse(value, FORM);
  const { file, lines } = read.data;
  return lines.split(/\r\n|\n|\r/).map((line, i) => ({
    text: line.trim(),
    path: ['urls'],
    place: `${file}:${i + 1}`,
  }));
}

/** The paths, below the base URLs of all targets, as they go on the wire; or what is wrong with the first bad entry. */
export function urlPaths(entries: readonly UrlEntry[], targets: readonly Target[]): string[] | Problem[] {
  const bases = targets.flatMap(({ url }) => {
    const read = readHttpUrl(url);
    return read instanceof Refusal ? [] : [read.base];
  });
  const paths: string[] = [];
  for (const { text, path, place } of entries) {
    const read = readEntry(text, bases);
    if (read instanceof Refusal) {
      return [{ path, message: place === undefined ? read.message : `${place}: ${read.message}` }];
    }
    paths.push(read);
  }
  return paths;
}

function readEntry(text: string, bases: readonly string[]): string | Refusal {
  if (text.startsWith('/') && !text.startsWith('//')) return encodePath(text.replace(/#.*/, ''));
  const url = readHttpUrl(text);
  if (url instanceof Refusal) {
    return /^[a-z][a-z0-9+.-]*:/i.test(text) ? url : refuse(text, 'a path that starts with "/", or a URL');
  }
  if (url.credentials !== undefined) {
    return new Refusal('a login cannot be in a list of URLs; put it into the URL of the target');
  }
  const other = bases.find((base) => !isBelow(`${url.origin}${url.path}`, base));
  if (other !== undefined) {
    return new Refusal(
      `${show(redactUrl(text))} is not below the target ${redactUrl(other)}; all URLs must be`,
    );
  }
  const prefix = (bases[0] ?? url.origin).length - url.origin.length;
  const below = url.path.slice(prefix);
  return below.startsWith('/') ? below : `/${below}`;
}

function isBelow(url: string, base: string): boolean {
  return url.startsWith(base) && ['', '/', '?'].includes(url.charAt(base.length));
}

/** The specs of as many requests as the report can name; one for all of them where there are more. */
export function urlRequests(paths: readonly string[], each: WeightedRequestSpec): WeightedRequestSpec[] {
  if (paths.length > MOST_NAMED_URLS) return [{ ...each, name: 'urls', path: '/' }];
  return paths.map((path) => ({ ...each, name: redactUrl(path).slice(0, 200), path }));
}

/** The rows that take the place of names where there are too many; undefined where there are not. */
export function urlRows(paths: readonly string[]): DataPlan | undefined {
  if (paths.length <= MOST_NAMED_URLS) return undefined;
  return { columns: ['url'], count: paths.length, rows: paths.map((path) => [path]) };
}

/** The plan of `urlRequests`' one request, with its path from `urlRows`. */
export function withPathFromRows(plan: RequestPlan, prefix: string): RequestPlan {
  return { ...plan, template: { path: [prefix, 0], pathIsEncoded: true } };
}
