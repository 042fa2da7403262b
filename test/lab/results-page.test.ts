import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../coordinator/report/schema.ts';
import { ROOT } from '../support/cli.ts';
import { resultsPage } from './results-page.ts';

const GOLDEN = path.join(ROOT, 'test', 'coordinator', 'report', 'golden');
const golden = (name: string): string => readFileSync(path.join(GOLDEN, name), 'utf8');
const PAGE = {
  title: 'A page',
  report: JSON.parse(golden('closed.json')) as Report,
  markdown: golden('closed.md'),
  commands: ['npm run lab', 'npm run lab -- --target classic'],
  lab: 'two hosts',
  processes: [],
};

test('a page has machine, date, command, the report below its own title, and what the limit was', () => {
  const page = resultsPage(PAGE);
  assert.deepEqual(page.match(/^# .*$/gm), ['# A page']);
  assert.match(page, /^- \*\*Machine\*\*: .+ cores, .+ GiB; /m);
  assert.match(page, new RegExp(`^- \\*\\*Date\\*\\*: ${PAGE.report.run.startedAt!.slice(0, 10)}$`, 'm'));
  assert.match(page, /^npm run lab$/m);
  assert.match(page, /^### /m);
  assert.match(page, /^- \*\*\w+\*\*: 1 of 1 trials/m);
});

test('what was written by hand stays when the page is made again, once', () => {
  const written = '## Beside the original\n\nThe shape is theirs.\n';
  const page = resultsPage(PAGE, `# Old\n\n12.3\n\n${written}`);
  assert.ok(page.endsWith(`\n\n${written}`));
  assert.doesNotMatch(page, /12\.3\n/);
  assert.equal(resultsPage(PAGE, page), page);
});
