/** Where an engine connects to, from the URL. */
import { BroadsideError } from '../../../shared/errors.ts';

export interface Endpoint {
  /** As the URL has it, without the brackets of an IPv6 address. */
  host: string;
  port: number;
  /** For messages: `host:port` as the user wrote it. */
  name: string;
  /** https. */
  secure: boolean;
}

/** @throws BroadsideError USAGE for a URL that this engine cannot drive */
export function endpointOf(text: string): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new BroadsideError('USAGE', `not an http:// or https:// URL: ${JSON.stringify(text)}`, {
      hint: 'Write it as http://host:port/path.',
    });
  }
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (port === 0) {
    throw new BroadsideError('USAGE', `nothing can listen on port 0: ${url.origin}`, {
      hint: 'Give the port of the target.',
    });
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    name: `${url.hostname}:${port}`,
    secure,
  };
}
