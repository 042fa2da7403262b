/**
 * One cable to the switch, as commands of ip(8) and tc(8): a veth pair between a host's namespace and the switch's, each
 * end sending at the link's rate and no faster.
 *
 * What is limited is what would be on a wire: `stab` adds to every packet the 24 bytes that the kernel does not see
 * (preamble 8, checksum 4, gap 12; IEEE 802.3), and `mpu` pads short ones to the 84 that the shortest frame takes. For
 * that, packets have to be frames: `gso_max_segs 1` has TCP send one segment at a time, where it would hand over up to
 * 64 KiB at once and leave the cutting to the network card. veth does not put received ones together (GRO) by default.
 */

const LONGEST_FRAME = 1538;
/** What a late timer may make up for afterwards. A real link never does; without it a busy machine loses rate. */
const BURST_S = 0.01;
/** A sender's queue: txqueuelen, 1000 packets. */
const HOST_QUEUE_BYTES = 1000 * LONGEST_FRAME;
/** What a switch of the time had for one port. */
const PORT_QUEUE_BYTES = 256 * 1024;

/** For `ip -n HOST -batch`: the host's end is eth0, the switch's has the host's name. */
export function linkCommands(host: string, switchNamespace: string, address: string): string[] {
  return [
    `link add eth0 gso_max_segs 1 type veth peer name ${host} gso_max_segs 1 netns ${switchNamespace}`,
    `address add ${address}/24 dev eth0`,
    'link set dev lo up',
    'link set dev eth0 up',
  ];
}

/** For `tc -n HOST -batch`: what the host sends. */
export function hostShaping(bitsPerSecond: number): string {
  return shaping('eth0', bitsPerSecond, HOST_QUEUE_BYTES);
}

/** For `tc -n SWITCH -batch`: what the switch sends to the host. */
export function portShaping(host: string, bitsPerSecond: number): string {
  return shaping(host, bitsPerSecond, PORT_QUEUE_BYTES);
}

function shaping(device: string, bitsPerSecond: number, queueBytes: number): string {
  const burst = Math.max(2 * LONGEST_FRAME, Math.round((bitsPerSecond / 8) * BURST_S));
  return `qdisc add dev ${device} root stab overhead 24 mpu 84 linklayer ethernet tbf rate ${Math.round(bitsPerSecond)}bit burst ${burst} limit ${queueBytes}`;
}
