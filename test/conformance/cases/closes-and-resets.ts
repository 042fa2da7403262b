/** Servers that give up, at every stage of a reply. A part of a reply is never a success. */
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import { awaitRequest, end, reset, type Script, send } from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK } from '../case.ts';

const LENGTH = head(OK, 'Content-Length: 5');
const CHUNKED = head(OK, 'Transfer-Encoding: chunked');

const STAGES: readonly [stage: string, bytes: string, body: number][] = [
  ['before any byte of the reply', '', 0],
  ['inside the status line', 'HTTP/1.1 2', 0],
  ['inside a header', 'HTTP/1.1 200 OK\r\nContent-Le', 0],
  ['before the blank line', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n', 0],
  ['after an interim reply', head('HTTP/1.1 100 Continue'), 0],
  ['after the head', LENGTH, 0],
  ['inside the body', `${LENGTH}hell`, 4],
  ['before the first chunk', CHUNKED, 0],
  ['inside a chunk size', `${CHUNKED}5`, 0],
  ['inside a chunk', `${CHUNKED}5\r\nhel`, 3],
  ['between chunks', `${CHUNKED}5\r\nhello\r\n`, 5],
  ['inside the last chunk', `${CHUNKED}5\r\nhello\r\n0\r\n`, 5],
  ['inside the trailers', `${CHUNKED}5\r\nhello\r\n0\r\nX-Sum`, 5],
];

function each(verb: string, lastStep: typeof end, errorClass: ErrorClass): ConformanceCase[] {
  return STAGES.map(([stage, bytes, body]) => {
    const script: Script = bytes === '' ? [awaitRequest, lastStep] : [awaitRequest, send(bytes), lastStep];
    return {
      name: `A server that ${verb} ${stage}: ${errorClass}.`,
      server: [script],
      samples: [errorClass],
      body,
      kept: false,
    };
  });
}

export const CLOSES_AND_RESETS: readonly ConformanceCase[] = [
  ...each('closes', end, 'closed-early'),
  ...each('resets', reset, 'reset'),
  {
    name: 'A server that resets inside a body without a length: reset, since nobody knows whether it was whole.',
    server: [[awaitRequest, send(`${head(OK)}hello`), reset]],
    samples: ['reset'],
    body: 5,
    kept: false,
  },
  {
    name: 'A server that closes without reading the request: one failed request.',
    server: [[end]],
    plainOnly: true,
    samples: ['closed-early'],
    body: 0,
    kept: false,
  },
];
