import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAllowList } from '../../../shared/domain/allow-list.ts';

const MAY = true;
const MUST_NOT = false;

const ROWS: [sentence: string, entries: string[], address: string, allowed: boolean, host?: string][] = [
  ['loopback by default', [], '127.0.0.1', MAY],
  ['all of loopback by default', [], '127.8.9.10', MAY],
  ['loopback of IPv6 by default', [], '::1', MAY],
  ['10/8 by default', [], '10.255.0.1', MAY],
  ['172.16/12 by default', [], '172.31.255.255', MAY],
  ['what is beside it not', [], '172.32.0.0', MUST_NOT],
  ['192.168/16 by default', [], '192.168.0.1', MAY],
  ['unique local IPv6 by default', [], 'fd00::1', MAY],
  ['the metadata service of clouds not by default', [], '169.254.169.254', MUST_NOT],
  ['nor written as IPv6', [], '::ffff:169.254.169.254', MUST_NOT],
  ['link-local IPv6 not by default', [], 'fe80::1', MUST_NOT],
  ['a public address not by default', [], '93.184.216.34', MUST_NOT],
  ['a public IPv6 address not by default', [], '2606:2800:220:1::1', MUST_NOT],
  ['a private address mapped to IPv6 by default', [], '::ffff:10.0.0.1', MAY],
  ['a public address mapped to IPv6 not', [], '::ffff:93.184.216.34', MUST_NOT],
  ['a private address in the NAT64 prefix not', [], '64:ff9b::a00:1', MUST_NOT],
  ['the address that means any not', [], '0.0.0.0', MUST_NOT],
  ['nor that of IPv6', [], '::', MUST_NOT],
  ['broadcast not', [], '255.255.255.255', MUST_NOT],
  ['multicast not', [], '224.0.0.1', MUST_NOT],
  ['an address in a given range', ['93.184.216.0/24'], '93.184.216.34', MAY],
  ['one outside of it', ['93.184.216.0/24'], '93.184.217.1', MUST_NOT],
  ['a given range replaces the default', ['93.184.216.0/24'], '127.0.0.1', MUST_NOT],
  ['the one address given', ['93.184.216.34'], '93.184.216.34', MAY],
  ['not the next one', ['93.184.216.34'], '93.184.216.35', MUST_NOT],
  ['the one IPv6 address given', ['2606::1'], '2606::1', MAY],
  ['not the next one of IPv6', ['2606::1'], '2606::2', MUST_NOT],
  ['a given range holds for the mapped form too', ['93.184.216.0/24'], '::ffff:93.184.216.34', MAY],
  ['a range of IPv6 is none of IPv4', ['::/0'], '10.0.0.1', MUST_NOT],
  ['everything of IPv4, when it is said', ['0.0.0.0/0'], '169.254.169.254', MAY],
  ['one of several', ['10.0.0.0/8', '93.184.216.34'], '93.184.216.34', MAY],
  ['a host by its name, wherever it is', ['Example.org'], '93.184.216.34', MAY, 'example.org'],
  ['not its subdomains', ['example.org'], '93.184.216.34', MUST_NOT, 'www.example.org'],
  ['another host at the address of one not', ['example.org'], '93.184.216.34', MUST_NOT, 'example.com'],
];

describe('createAllowList', () => {
  for (const [sentence, entries, address, allowed, host = 'some.host'] of ROWS) {
    test(`${allowed ? 'allows' : 'refuses'} ${sentence}`, () => {
      assert.equal(createAllowList(entries).allows(host, address), allowed);
    });
  }

  test('says what it allows', () => {
    assert.equal(createAllowList([]).describe(), 'loopback and private addresses');
    assert.equal(createAllowList(['10.0.0.0/8', 'h']).describe(), '10.0.0.0/8, h');
  });

  for (const entry of [
    '*',
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10',
    '10.1',
    '10.1/16',
    '1.2.3.4.5',
    'http://h',
    'h:80',
    '-h',
    'a b',
    '::1/129',
  ]) {
    test(`does not take ${JSON.stringify(entry)}`, () => {
      assert.throws(() => createAllowList([entry]), {
        code: 'USAGE',
        message: /--allow .*not a CIDR range, an address or a host name/,
      });
    });
  }
});
