import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { interfaceTo, type OwnAddress } from '../../../worker/host/routes.ts';

const ROUTE = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	010200C0	0003	0	0	100	00000000	0	0	0
wlan0	00000000	0102000A	0003	0	0	600	00000000	0	0	0
eth1	0000A8C0	00000000	0001	0	0	0	0000FFFF	0	0	0
eth2	0002A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
*	0003A8C0	00000000	0201	0	0	0	00FFFFFF	0	0	0
`;
const ROUTE6 = `fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
fd000000000000010000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000003 00000000 00000003     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000004 00000000 80200001       lo
`;
const OWN: OwnAddress[] = [
  { name: 'lo', address: '127.0.0.1', internal: true },
  { name: 'eth0', address: '192.0.2.7', internal: false },
];

describe('the interface that leads to an address', () => {
  const rows: [that: string, address: string, name: string | undefined][] = [
    ['the default route with the lowest metric', '8.8.8.8', 'eth0'],
    ['a network of its own', '192.168.7.1', 'eth1'],
    ['the more specific of two networks', '192.168.2.1', 'eth2'],
    ['a route that refuses leads nowhere; what is left is the wider network', '192.168.3.1', 'eth1'],
    ['this machine itself, by an address of its network', '192.0.2.7', 'lo'],
    ['loopback', '127.0.0.9', 'lo'],
    ['IPv6, the default route', '2001:db8::1', 'eth0'],
    ['IPv6, the more specific network', 'fd00:0:0:1::9', 'eth1'],
    ['IPv6 with a prefix that ends within it', 'fd00::1:2:3', 'eth0'],
    ['IPv6 loopback', '::1', 'lo'],
    ['what is no address', 'example', 'eth0'],
  ];
  for (const [that, address, name] of rows.slice(0, -1)) {
    test(that, () => assert.equal(interfaceTo(address, OWN, ROUTE, ROUTE6), name));
  }
  test('without routes there is none', () => assert.equal(interfaceTo('8.8.8.8', OWN, '', ''), undefined));
});
