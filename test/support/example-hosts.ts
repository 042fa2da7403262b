/**
 * The hosts that k6's own examples go to, as one server on this machine: as much of httpbin.org, quickpizza.grafana.com and
 * echo.websocket.org as those scripts ask for. k6 finds it by its option `hosts`, so the scripts stay as they are.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { certificate } from './certificates.ts';
import type { Cleanups } from './scope.ts';

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const PLAIN = ['httpbin.org:80', 'localhost:8080', 'echo.websocket.org:80'];
const SECURE = [
  'httpbin.org:443',
  'quickpizza.grafana.com:443',
  'echo.websocket.org:443',
  'sha256.badssl.com:443',
];

const FRONT_PAGE = '<p class="description">This is a replacement of the service that was there before.</p>';

/** @returns what k6 takes in its configuration file: `hosts`, and no check of the certificate */
export async function startExampleHosts(
  t: Cleanups,
): Promise<{ hosts: Record<string, string>; insecureSkipTLSVerify: true }> {
  const answer = (request: Request, response: Response): void => {
    reply(request, response).catch((error) => response.destroy(error));
  };
  const plain = createServer(answer);
  const secure = createSecureServer(
    { ...certificate('server'), allowHTTP1: true, ciphers: 'DEFAULT' },
    answer,
  );
  const echo = new WebSocketServer({ noServer: true });
  echo.on('connection', (socket) => socket.on('message', (data) => socket.send(data.toString())));
  for (const server of [plain, secure]) {
    server.on('upgrade', (request: IncomingMessage, socket, head) =>
      echo.handleUpgrade(request, socket, head, (client) => echo.emit('connection', client)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  t.after(() => {
    for (const client of echo.clients) client.terminate();
    plain.closeAllConnections();
    plain.close();
    secure.close();
  });
  const at = (names: readonly string[], server: typeof plain | typeof secure): [string, string][] =>
    names.map((name) => [name, `127.0.0.1:${(server.address() as AddressInfo).port}`]);
  return {
    hosts: Object.fromEntries([...at(PLAIN, plain), ...at(SECURE, secure)]),
    insecureSkipTLSVerify: true,
  };
}

async function reply(request: Request, response: Response): Promise<void> {
  const host = request.headers[':authority'] ?? request.headers.host;
  const url = new URL(request.url!, `http://${host}`);
  const body = await textOf(request);
  const json = (value: object, status = 200, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
  const to = (location: string, headers: Record<string, string | string[]> = {}): void => {
    response.writeHead(302, { location, ...headers });
    response.end();
  };
  const [first, second] = url.pathname.split('/').slice(1);
  switch (first) {
    case 'get':
    case 'post':
    case 'put':
    case 'patch':
    case 'delete':
      return json(echoOf(request, url, body));
    case 'cookies':
      if (second !== 'set') return json({ cookies: cookiesOf(request) });
      return to('/cookies', {
        'set-cookie': [...url.searchParams].map((pair) => `${pair.join('=')}; Path=/`),
      });
    case 'redirect':
      return to(second === '1' ? '/get' : `/redirect/${Number(second) - 1}`);
    case 'basic-auth':
      if (request.headers.authorization === `Basic ${btoa('user:passwd')}`)
        return json({ authenticated: true, user: 'user' });
      return json({}, 401, { 'www-authenticate': 'Basic realm="examples"' });
    case 'digest-auth':
      if (isDigest(request)) return json({ authenticated: true, user: 'user' });
      return json({}, 401, {
        'www-authenticate': 'Digest realm="examples", nonce="1", qop="auth", algorithm=MD5',
      });
    case 'pi.php':
      response.end('3.14');
      return;
    default:
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(FRONT_PAGE);
  }
}

async function textOf(request: Request): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** A name that is there several times has a list. */
function echoOf(request: Request, url: URL, body: string): object {
  const isJson = request.headers['content-type'] === 'application/json';
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
    value,
  ]);
  return {
    args: fieldsOf(url.searchParams),
    form: isJson ? {} : fieldsOf(new URLSearchParams(body)),
    json: isJson ? JSON.parse(body) : null,
    headers: Object.fromEntries(headers),
  };
}

function fieldsOf(pairs: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(pairs.keys())].map((name) => {
      const values = pairs.getAll(name);
      return [name, values.length > 1 ? values : values[0]!];
    }),
  );
}

function cookiesOf({ headers }: Request): Record<string, string> {
  const pairs = (headers.cookie ?? '').split(/;\s*/).filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** RFC 7616 section 3.4.1, with MD5 and qop=auth. */
function isDigest({ headers, method }: Request): boolean {
  const fields = Object.fromEntries(
    [...(headers.authorization ?? '').matchAll(/(\w+)="?([^",]+)"?/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
  const { uri, nonce, nc, cnonce, qop } = fields;
  const secret = md5('user:examples:passwd');
  return fields.response === md5([secret, nonce, nc, cnonce, qop, md5(`${method}:${uri}`)].join(':'));
}
