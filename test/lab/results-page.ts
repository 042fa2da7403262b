/** A page of docs/results: what was measured, where, when and how; and what somebody has written about it since. */
import { spawnSync } from 'node:child_process';
import type { Report } from '../../coordinator/report/schema.ts';
import { type Machine, readMachine } from '../bench/machine.ts';

export interface ResultsPage {
  title: string;
  /** Of the run. */
  report: Report;
  /** The same run as `--format md` has it. */
  markdown: string;
  /** That anybody can run it again with. */
  command: string;
  lab: string;
}

/** What follows is written by hand, and kept when the page is made again. */
const COMPARISON = '## Beside the original';

/** @param before the page as it was */
export function resultsPage({ title, report, markdown, command, lab }: ResultsPage, before = ''): string {
  const kept = before.indexOf(COMPARISON);
  return `# ${title}

${machineLines().join('\n')}
- **Lab**: ${lab}
- **Date**: ${report.run.startedAt?.slice(0, 10) ?? 'unknown'}

\`\`\`sh
${command}
\`\`\`

${deeper(markdown)}
## What was the limit

${limitLines(report).join('\n')}
${kept === -1 ? '' : `\n${before.slice(kept).trimEnd()}\n`}`;
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

/** How many trials had which limit, with the evidence of the first. */
function limitLines({ trials }: Report): string[] {
  const limits = [...new Set(trials.map(({ verdict }) => verdict.limit))];
  return limits.map((limit) => {
    const those = trials.filter(({ verdict }) => verdict.limit === limit);
    const { cell, verdict } = those[0]!;
    const axes = Object.entries(cell).map(([axis, value]) => `${axis}=${value}`);
    return `- **${limit}**: ${those.length} of ${trials.length} trials. The first, ${axes.join(' ')}: ${verdict.evidence[0] ?? ''}`;
  });
}
