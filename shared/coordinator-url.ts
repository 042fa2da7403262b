/** `http://10.0.0.2:7070` as both commands take it; undefined for any other form. */
export function readCoordinatorUrl(text: string): URL | undefined {
  // URL takes `http:///x` for a host named x.
  if (!/^https?:\/\/[^/?#:]/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}
