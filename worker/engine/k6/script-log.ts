/**
 * What k6 and its script log, kept with a bounded size: the beginning, where things go wrong first, and the end. k6 logs JSON
 * lines; they are kept as text for people. Iterations that threw are counted: k6 counts them like any other.
 */

/** Of each of the two parts. */
const MOST_BYTES = 16 * 1024;
const LONGEST_LINE = 4 * 1024;

export interface KeptLog {
  text: string;
  /** Lines left out between its beginning and its end. */
  linesLeftOut: number;
}

interface LogLine {
  level?: string;
  msg?: string;
  error?: string;
  source?: string;
  hint?: string;
}

export class ScriptLog {
  /** The last line of level error or above, as it was said. */
  lastError: string | undefined;
  private readonly head: string[] = [];
  private headBytes = 0;
  private tail: string[] = [];
  private tailBytes = 0;
  private leftOut = 0;
  private rest = '';
  private readonly shorten: (text: string) => string;
  private readonly onThrown: () => void;

  /** @param shorten takes out what only this machine knows: where the script lies */
  constructor(shorten: (text: string) => string, onThrown: () => void) {
    this.shorten = shorten;
    this.onThrown = onThrown;
  }

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!.slice(0, LONGEST_LINE * 16);
    for (const line of lines) this.line(line);
  }

  end(): void {
    if (this.rest !== '') this.line(this.rest);
    this.rest = '';
  }

  /** Undefined when nothing was said. */
  kept(): KeptLog | undefined {
    if (this.head.length === 0) return undefined;
    return { text: [...this.head, ...this.tail].join('\n'), linesLeftOut: this.leftOut };
  }

  private line(raw: string): void {
    if (raw.trim() === '') return;
    const read = readLine(raw);
    if (read === undefined) {
      this.keep(this.shorten(raw));
      return;
    }
    const { level = 'info', msg = '', error, source, hint } = read;
    const message = this.shorten([msg.trimEnd(), error, hint].filter(Boolean).join(': '));
    if (level === 'error' || level === 'fatal' || level === 'panic') {
      this.lastError = message;
      if (source === 'stacktrace') this.onThrown();
    }
    // What a script says is no error of it, whatever it says.
    if (source === 'console') this.keep(level === 'info' ? message : `console.${level}: ${message}`);
    else this.keep(`${level}: ${message}`);
  }

  private keep(line: string): void {
    const kept = line.slice(0, LONGEST_LINE);
    if (this.headBytes < MOST_BYTES) {
      this.head.push(kept);
      this.headBytes += kept.length;
      return;
    }
    this.tail.push(kept);
    this.tailBytes += kept.length;
    while (this.tailBytes > MOST_BYTES) {
      this.tailBytes -= this.tail.shift()!.length;
      this.leftOut++;
    }
  }
}

function readLine(raw: string): LogLine | undefined {
  if (!raw.startsWith('{')) return undefined;
  try {
    const read = JSON.parse(raw) as LogLine;
    return typeof read.msg === 'string' ? read : undefined;
  } catch {
    return undefined;
  }
}
