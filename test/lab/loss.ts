/**
 * A port of the switch that loses frames, both ways, and tells neither end. In the place of netem, which few kernels have
 * built in: a program of the socket filter's first kind draws a random number for every frame (linux/filter.h). Needs the
 * kernel's clsact and cls_bpf.
 */
import { spawnSync } from 'node:child_process';
import { run } from './namespaces.ts';

/** BPF_LD|BPF_W|BPF_ABS with SKF_AD_OFF + SKF_AD_RANDOM; BPF_JMP|BPF_JGE|BPF_K; BPF_RET|BPF_K; TC_ACT_OK, TC_ACT_SHOT. */
const [LOAD_WORD, JUMP_IF_AT_LEAST, RETURN] = [0x20, 0x35, 0x06];
const RANDOM_NUMBER = 2 ** 32 - 0x1000 + 56;
const [PASS, DROP] = [0, 2];

/** For `tc -n SWITCH -batch`, once a port. @param share of the frames, each way, from 0 to less than 1 */
export function portLoss(device: string, share: number): string[] {
  const program = [
    `${LOAD_WORD} 0 0 ${RANDOM_NUMBER}`,
    `${JUMP_IF_AT_LEAST} 0 1 ${Math.floor(share * 2 ** 32)}`,
    `${RETURN} 0 0 ${PASS}`,
    `${RETURN} 0 0 ${DROP}`,
  ];
  const bytecode = `${program.length},${program.join(',')}`;
  return [
    `qdisc add dev ${device} clsact`,
    ...['ingress', 'egress'].map(
      (way) => `filter add dev ${device} ${way} bpf direct-action bytecode "${bytecode}"`,
    ),
  ];
}

/** For `tc -n SWITCH -batch`: nothing is lost any more. */
export function portLossOver(device: string): string {
  return `qdisc delete dev ${device} clsact`;
}

/** Why no port can lose frames here, or false when it can. Takes a network namespace to find out. */
export function lossMissing(): string | false {
  const name = `bslab-probe-${process.pid}`;
  run('ip', ['netns', 'add', name]);
  const { status, stderr } = spawnSync('tc', ['-n', name, '-batch', '-'], {
    encoding: 'utf8',
    input: portLoss('lo', 0.5).join('\n'),
  });
  run('ip', ['netns', 'delete', name]);
  return status === 0 ? false : `this kernel has no clsact and cls_bpf to lose frames by: ${stderr.trim()}`;
}
