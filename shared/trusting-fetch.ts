/** `fetch`, for a coordinator whose certificate was signed by an authority of its own; Node's takes none. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

type Content = ConstructorParameters<typeof Response>[0];

/**
 * @param init its body is text or a stream
 * @param ca PEM of the only authorities whose certificates are taken; undefined: those that Node knows
 */
export async function trustingFetch(url: URL, init: RequestInit, ca: string | undefined): Promise<Response> {
  if (ca === undefined || url.protocol !== 'https:') return fetch(url, init);
  const { method = 'GET', headers, body, signal } = init;
  const request = https.request(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    ca,
    agent: false,
    ...(signal && { signal }),
  });
  const answered = once(request, 'response');
  // Once it has answered, whatever else goes wrong shows in the answer's body.
  request.on('error', () => {});
  if (body instanceof globalThis.ReadableStream) {
    // An answer may come before all of the body is sent, and is then worth more than that.
    pipeline(Readable.fromWeb(body as ReadableStream), request).catch(() => {});
  } else {
    request.end(body);
  }
  const [message] = (await answered) as [IncomingMessage];
  const status = message.statusCode ?? 0;
  const empty = method === 'HEAD' || status === 204 || status === 304;
  if (empty) message.resume();
  const content = empty ? null : (Readable.toWeb(message) as unknown as Content);
  return new Response(content, { status });
}
