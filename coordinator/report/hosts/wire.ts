/**
 * What HTTP over TCP over Ethernet costs on a link, and so how much of it the link can carry. Pure arithmetic.
 *
 * One Ethernet frame takes 38 bytes of the wire besides its payload: preamble and start 8, header 14, checksum 4, and
 * the gap to the next frame 12 (IEEE 802.3, clauses 3 and 4). Its payload is at least 46 bytes and at most the MTU, and
 * holds the headers of IP (20, IPv6 40) and TCP (20, and 12 more with timestamps, RFC 7323); the rest is the segment,
 * at most MSS = MTU - headers bytes. With 1500, IPv4 and timestamps a full frame carries 1448 of 1538 bytes, 94.1 %.
 *
 * A reply is cut into ceil(bytes / MSS) segments, a request likewise. Two full segments are acknowledged by one that is
 * empty, the other way (RFC 1122, 4.2.3.2), but the last of a reply by the next request. A connection is opened by
 * SYN, SYN-ACK and ACK, and closed by FIN, FIN-ACK and ACK: three segments each way; those with SYN have 20 bytes of
 * options instead of 12. Handshakes of TLS are in the bytes of replies and requests.
 */

export interface WireTerms {
  mtu: number;
  ipv6: boolean;
  tcpTimestamps: boolean;
}

/** Of one request on average, bytes. */
export interface WireLoad {
  bodyBytes: number;
  /** All of the reply but its body. */
  headBytes: number;
  requestBytes: number;
  /** Connections opened a request: 1 without keep-alive, near 0 with it. */
  connections: number;
}

/** One direction of the wire for one request, bytes. Their sum is what the link is occupied with. */
export interface WireCost {
  body: number;
  head: number;
  /** Of IP and TCP, those of acknowledgements and connections included. */
  tcpIp: number;
  ethernet: number;
}

export const ETHERNET: WireTerms = { mtu: 1500, ipv6: false, tcpTimestamps: true };

const FRAME_BYTES = 38;
const LEAST_PAYLOAD = 46;
const SYN_OPTIONS = 20;
const TIMESTAMP_OPTION = 12;

export function headersOf({ ipv6, tcpTimestamps }: WireTerms): number {
  return (ipv6 ? 40 : 20) + 20 + (tcpTimestamps ? TIMESTAMP_OPTION : 0);
}

export function segmentBytes(terms: WireTerms): number {
  return terms.mtu - headersOf(terms);
}

/** To the client: replies. */
export function replyCost(load: WireLoad, terms: WireTerms): WireCost {
  const { bodyBytes, headBytes, requestBytes, connections } = load;
  const segments = segmentsOf(bodyBytes + headBytes, terms);
  const empty = emptySegments(segmentsOf(requestBytes, terms), connections, terms);
  return { body: bodyBytes, head: headBytes, ...framing(segments, empty) };

  function framing(data: number, { count, tcpIp, ethernet }: Empty): Pick<WireCost, 'tcpIp' | 'ethernet'> {
    return {
      tcpIp: data * headersOf(terms) + tcpIp,
      ethernet: data * FRAME_BYTES + count * FRAME_BYTES + ethernet,
    };
  }
}

/** To the server: requests, and acknowledgements of the replies. */
export function requestCost(load: WireLoad, terms: WireTerms): WireCost {
  const turned = {
    bodyBytes: 0,
    headBytes: load.requestBytes,
    requestBytes: load.bodyBytes + load.headBytes,
    connections: load.connections,
  };
  return replyCost(turned, terms);
}

export function bytesOn({ body, head, tcpIp, ethernet }: WireCost): number {
  return body + head + tcpIp + ethernet;
}

interface Empty {
  count: number;
  tcpIp: number;
  /** Padding of frames that would be too short. */
  ethernet: number;
}

/** Acknowledgements of what comes the other way, and what opens and closes connections. */
function emptySegments(acknowledged: number, connections: number, terms: WireTerms): Empty {
  const headers = headersOf(terms);
  const acknowledgements = Math.max(0, Math.ceil(acknowledged / 2) - 1);
  const plain = acknowledgements + 2 * connections;
  const syn = headers - (terms.tcpTimestamps ? TIMESTAMP_OPTION : 0) + SYN_OPTIONS;
  return {
    count: plain + connections,
    tcpIp: plain * headers + connections * syn,
    ethernet: plain * Math.max(0, LEAST_PAYLOAD - headers),
  };
}

function segmentsOf(bytes: number, terms: WireTerms): number {
  return bytes <= 0 ? 0 : Math.ceil(bytes / segmentBytes(terms));
}

export interface WireCeiling {
  /** Requests a second. */
  requestRate: number;
  /** The direction that is full first. */
  direction: 'replies' | 'requests';
}

/** Of a full-duplex link; undefined where a request costs nothing. */
export function ceilingOf(load: WireLoad, terms: WireTerms, bitsPerSecond: number): WireCeiling | undefined {
  const down = 8 * bytesOn(replyCost(load, terms));
  const up = 8 * bytesOn(requestCost(load, terms));
  const widest = Math.max(down, up);
  if (widest === 0) return undefined;
  return { requestRate: bitsPerSecond / widest, direction: down >= up ? 'replies' : 'requests' };
}

/** What interfaces count of a frame: no checksum, preamble and gap. */
const UNCOUNTED = 24;
const COUNTED_HEADER = 14;

/**
 * Bits on the wire of what an interface has counted. Where its driver counts what the kernel hands over at once (TSO,
 * GRO; any veth), a packet is larger than a frame can be: it is taken as full segments, each with headers of its own.
 */
export function wireBits(counted: { bytes: number; packets: number }, terms: WireTerms): number {
  const { bytes, packets } = counted;
  if (packets === 0) return 0;
  if (bytes / packets <= terms.mtu + COUNTED_HEADER + 4) return 8 * (bytes + packets * UNCOUNTED);
  const headers = COUNTED_HEADER + headersOf(terms);
  const payload = bytes - packets * headers;
  const frames = Math.max(packets, Math.ceil(payload / segmentBytes(terms)));
  return 8 * (payload + frames * (headers + UNCOUNTED));
}
