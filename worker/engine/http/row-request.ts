/** A request that differs by row: cut into its pieces once, put together for every send. */

/** Literal text, or the value of a column. */
export type Part = string | { column: number; encoded: boolean };

export class RowRequest {
  private readonly head: readonly Part[];
  /** Undefined: the same for all rows, as it stands in `tail`. */
  private readonly body: readonly Part[] | undefined;
  private readonly tail: Buffer;

  /**
   * @param head all lines, each with its end, but without the blank line and, for a body of rows, Content-Length
   * @param body of rows, or the bytes that follow the head as they are
   */
  constructor(head: readonly Part[], body: readonly Part[] | Buffer) {
    this.head = merged(head);
    this.body = Buffer.isBuffer(body) ? undefined : merged(body);
    this.tail = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  }

  /** The whole request for one row, in memory of its own: the system may still be sending the one before. */
  bytes(row: readonly string[]): Buffer {
    const head = fill(this.head, row);
    if (this.body === undefined) {
      const start = `${head}\r\n`;
      return this.tail.length === 0 ? Buffer.from(start) : Buffer.concat([Buffer.from(start), this.tail]);
    }
    const body = fill(this.body, row);
    return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
}

function fill(parts: readonly Part[], row: readonly string[]): string {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else text += part.encoded ? encodeURIComponent(row[part.column] ?? '') : (row[part.column] ?? '');
  }
  return text;
}

/** Neighbouring texts become one. */
function merged(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
    else whole.push(part);
  }
  return whole;
}
