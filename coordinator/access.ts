/** Who may talk to the coordinator: whoever shows its token; without one, whoever is on this machine. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** 24 characters of base64url. */
export function newToken(): string {
  return randomBytes(18).toString('base64url');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether a request may come in. A page in a browser on this machine could reach a loopback port as well: what has an
 * `Origin` must be the coordinator's own page.
 */
export function mayEnter(headers: IncomingHttpHeaders, token: string | undefined): boolean {
  const { authorization, origin, host } = headers;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host)) return false;
  if (token === undefined) return true;
  const shown = Buffer.from(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}
