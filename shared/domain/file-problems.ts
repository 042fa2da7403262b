/** What is wrong in a file's text is told at the key that names the file, and with its name. */
import type { Path, Problem } from './problem.ts';
import { TLS_FILES } from './transport.ts';

/** Where the text of a file stands → the key beside it that names the file. */
const NAMED_AT = new Map([
  ['data.csv', 'file'],
  ...Object.entries(TLS_FILES).map(([name, text]): [string, string] => [`tls.${text}`, name]),
]);

/** @param written the scenario before the texts were put into it */
export function atFileNames(problems: readonly Problem[], written: unknown): Problem[] {
  return problems.map((problem) => {
    const [part, text] = problem.path;
    const key = NAMED_AT.get(`${part}.${text}`);
    const file = key === undefined ? undefined : valueAt(written, [part!, key]);
    if (key === undefined || typeof file !== 'string') return problem;
    return { ...problem, path: [part!, key], message: `${file}: ${problem.message}` };
  });
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (held, key) =>
      held !== null && typeof held === 'object' ? (held as Record<string, unknown>)[key] : undefined,
    value,
  );
}
