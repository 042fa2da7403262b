/** URLs and paths as users write them, and the form in which they go on the wire. */
import { Refusal, refuse } from './fields.ts';
import { show } from './problem.ts';
import { redactUrl } from './redact.ts';

const AUTHORITY = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/;
const URL_FORM = 'a URL such as http://10.0.0.5:8080';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNPRINTABLE = /[\u0000-\u0020\u007f]/;

export interface HttpUrl {
  /** Scheme, host and port. */
  origin: string;
  /** The origin and the path, without query and trailing slash. */
  base: string;
  /** What follows the host, as it was written, without a fragment; may be empty. */
  path: string;
  /** `user:password`, decoded. */
  credentials?: string;
}

/** A message is printed and logged, so it does without the password. */
function shown(url: string): string {
  return show(redactUrl(url));
}

/** Takes `http://` and `https://` URLs with a host. */
export function readHttpUrl(value: unknown): HttpUrl | Refusal {
  if (typeof value !== 'string') return refuse(value, URL_FORM);
  if (UNPRINTABLE.test(value)) return new Refusal(`${shown(value)} has a space or control character in it`);
  const authority = AUTHORITY.exec(value);
  if (authority === null) return withoutScheme(value);
  const scheme = authority[1]!.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') {
    return new Refusal(`${shown(value)} has the scheme ${scheme}; only http and https can be driven`);
  }
  const host = authority[2]!.slice(authority[2]!.lastIndexOf('@') + 1);
  if (host === '' || host.startsWith(':')) {
    return new Refusal(`${shown(value)} has no host; expected ${URL_FORM}`);
  }
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) return refuse(value, URL_FORM);
  if (url.port === '0') return new Refusal(`${shown(value)} has port 0, to which nothing can connect`);
  const path = encodePath(value.slice(authority[0].length).replace(/#.*/, ''));
  if (path instanceof Refusal) return path;
  const credentials = credentialsOf(url);
  return {
    origin: url.origin,
    base: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    path,
    ...(credentials !== undefined && { credentials }),
  };
}

function withoutScheme(value: string): Refusal {
  const guess = `http://${value.replace(/^(https?:)?\/*/, '')}`;
  const suggestion = guess !== 'http://' && URL.canParse(guess) ? `; did you mean ${show(guess)}?` : '';
  return new Refusal(`${shown(value)} is not ${URL_FORM}${suggestion}`);
}

function credentialsOf(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return `${decode(url.username)}:${decode(url.password)}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path and query as written; what is not ASCII is percent-encoded, because it cannot go on the wire. */
export function encodePath(path: string): string | Refusal {
  if (UNPRINTABLE.test(path)) {
    return new Refusal(`${show(path)} has a space or control character in it; write %20 for a space`);
  }
  try {
    return path.replace(/[^\u0021-\u007e]+/g, encodeURIComponent);
  } catch {
    return new Refusal(`${show(path)} is not well-formed text`);
  }
}

/** Value of an `Authorization` header (RFC 7617). */
export function basicAuthorization(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
