/** HTML and SVG as text in which whatever was not written here is escaped. */
import type { TableModel } from './table-model.ts';
import type { Fact } from './trial-facts.ts';

/** Markup that is safe as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | undefined | readonly Content[];

/** The template as it is, what is put in escaped, unless it is markup; lists one after the other. */
export function markup(parts: TemplateStringsArray, ...values: Content[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + textOf(values[i - 1]) + part));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function textOf(value: Content): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(textOf).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/**
 * @param caption for who does not see where the table stands
 * @param decorate what a cell becomes; as it is by default
 */
export function htmlTable(
  { head, rows, right }: TableModel,
  caption: string,
  decorate: (text: string, row: number, column: number) => Content = (text) => text,
): Markup {
  const side = (column: number) => (right.includes(column) ? markup` class="number"` : undefined);
  return markup`<section class="scroll" tabindex="0" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${head.map((text, i) => markup`<th scope="col"${side(i)}>${text}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (cells, row) => markup`<tr>${cells.map((text, i) => {
    const content = decorate(text, row, i);
    return i === 0 ? markup`<th scope="row">${content}</th>` : markup`<td${side(i)}>${content}</td>`;
  })}</tr>
`,
)}</tbody></table></section>`;
}

/** Facts without a label go on with the one before. */
export function factList(facts: readonly Fact[]): Markup {
  return markup`<dl>${facts.map(([label, text]) => {
    const lines = text.split('\n').map((line, i) => (i === 0 ? line : markup`<br>${line}`));
    const kind = /[A-Z]{3}/.test(label) ? markup` class="bad"` : undefined;
    return label === ''
      ? markup`<dd>${lines}</dd>`
      : markup`<dt${kind}>${label}</dt><dd${kind}>${lines}</dd>`;
  })}</dl>`;
}

/** Under a table; nothing where there is nothing to say. */
export function noteLine(sentences: readonly string[]): Markup | undefined {
  return sentences.length === 0 ? undefined : markup`<p class="quiet">${sentences.join('; ')}.</p>`;
}
