import type { Report } from './schema.ts';

/** The report itself; its form is DESIGN's "Report JSON". */
export function formatJson(report: Report): string {
  return [...jsonPieces(report)].join('');
}

/** As `JSON.stringify(report, null, 2)`, an element of its lists at a time: of thousands of trials it is too large to be held at once. */
export function* jsonPieces(report: Report): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(report)) {
    if (value === undefined) continue;
    yield `${before}\n  ${JSON.stringify(key)}: `;
    before = ',';
    if (Array.isArray(value) && value.length > 0) yield* elements(value);
    else yield indented(value, '  ');
  }
  yield '\n}\n';
}

function* elements(list: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const value of list) {
    yield `${before}\n    ${indented(value, '    ')}`;
    before = ',';
  }
  yield '\n  ]';
}

/** A line break in a string is escaped, so that each of these is a new line's. */
function indented(value: unknown, margin: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${margin}`);
}
