import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serverOf } from '../../../../worker/engine/http/reply-head.ts';

describe('what a head names as its server', () => {
  const rows: [sentence: string, header: string, server: string][] = [
    ['The value of Server.', 'Server: nginx/1.22.1\r\nContent-Length: 0\r\n', 'nginx/1.22.1'],
    ['With all its words.', 'server:Apache/2.4.62 (Debian) \r\n', 'Apache/2.4.62 (Debian)'],
    ['The first of several, on lines that end with LF alone.', 'SERVER :\ta\nServer: b\n', 'a'],
    ['Not of another field that ends so.', 'X-Server: other\r\n', ''],
    ['An empty one is none.', 'Server:\r\nVia: x\r\n', ''],
  ];
  for (const [sentence, header, server] of rows) {
    test(sentence, () => {
      const head = Buffer.from(`HTTP/1.1 200 OK\r\n${header}\r\n`);
      assert.equal(serverOf(head, 0, head.length), server);
    });
  }
});
