/** A page of docs/results: what was measured, where, when and how; and what somebody has written about it since. */
import { spawnSync } from 'node:child_process';
import type { Report } from '../../coordinator/report/schema.ts';
import { type Machine, readMachine } from '../bench/machine.ts';
import { ceilingTable, errorLines, limitLines, sharesTable } from './results-facts.ts';

export interface ResultsPage {
  title: string;
  /** Of the run. */
  report: Report;
  /** The same run as `--format md` has it. */
  markdown: string;
  /** Each of which anybody can run it again with; the first makes this page. */
  commands: readonly string[];
  lab: string;
  /** The servers that were watched, which the report knows by number only. */
  processes: readonly { pid: number; name: string }[];
}

/** What follows is written by hand, and kept when the page is made again. */
const COMPARISON = '## Beside the original';

/** @param before the page as it was */
export function resultsPage(facts: ResultsPage, before = ''): string {
  const { title, report, markdown, commands, lab, processes } = facts;
  const [head = '', ...sections] = deeper(markdown).split(/^(?=### )/m);
  const first = sections.findIndex((section) => /^### (Remarks|Cells)$/m.test(section));
  const tables = first === -1 ? sections : sections.slice(0, first);
  const details = first === -1 ? [] : sections.slice(first).map(withoutLimits);
  const kept = before.indexOf(COMPARISON);
  const page = `# ${title}

${machineLines().join('\n')}
- **Lab**: ${lab}
- **Date**: ${report.run.startedAt?.slice(0, 10) ?? 'unknown'}

\`\`\`sh
${commands.join('\n')}
\`\`\`

${head.trim()}

${tables.join('').trim()}

## What was the limit

${[limitLines(report).join('\n'), ceilingTable(report).join('\n')].filter((text) => text !== '').join('\n\n')}

## Who carried it

${sharesTable(report).join('\n')}

${errorLines(report).join('\n')}

${folded(details.join('').trim())}${kept === -1 ? '' : `\n${before.slice(kept).trimEnd()}\n`}`;
  return named(page, processes);
}

function folded(details: string): string {
  if (details === '') return '';
  return `<details>
<summary>All cells, with spread and comparisons</summary>

${details}

</details>
`;
}

function machineLines(): string[] {
  const { cpu, cores, memoryBytes, kernel, node }: Machine = readMachine();
  const memory = `${Math.round(memoryBytes / 1024 ** 3)} GiB`;
  return [
    `- **Machine**: ${cpu}, ${cores} cores, ${memory}; ${kernel}; Node ${node}. All hosts of the lab share it.`,
    `- **Servers**: ${serverVersions().join('; ')}`,
  ];
}

function serverVersions(): string[] {
  const first = (command: string, args: string[], pattern: RegExp): string | undefined => {
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    return pattern.exec(`${stdout}${stderr}`)?.[1];
  };
  return [
    `Apache httpd ${first('apache2', ['-v'], /Apache\/(\S+)/) ?? '?'} (prefork)`,
    `Tomcat ${first('/usr/share/tomcat10/bin/version.sh', [], /Server number:\s+(\S+)/) ?? '?'}`,
    `Java ${first('java', ['-version'], /version "([^"]+)"/) ?? '?'}`,
  ];
}

/** Without its title, and each heading one level down. */
function deeper(markdown: string): string {
  return markdown.replace(/^# .*\n+/, '').replace(/^#+ /gm, '#$&');
}

/** Of the remarks those that the table of cells says as well are left out; with the heading, if none is left. */
function withoutLimits(section: string): string {
  return section.replace(/^- \*\*Limit\*\*: .*\n/gm, '').replace(/^### Remarks\n\s*$/, '');
}

/** `httpd (1234)` where the report has `1234`. */
function named(page: string, processes: ResultsPage['processes']): string {
  return processes.reduce(
    (text, { pid, name }) =>
      text.replace(new RegExp(`(?<![\\w.(-])${pid}(?![\\w.)-])`, 'g'), `${name} (${pid})`),
    page,
  );
}
