/**
 * A lab with an observer whose clock is wrong by `process.argv[2]` ms, in the network namespace that this is started in:
 * what its loopback carries is this lab's alone. Prints the report of a load that rises
 * from 0 to 800 arrivals a second within 4 s, as JSON.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, startCli } from './cli.ts';
import { startLab } from './lab.ts';
import { startNginx } from './nginx.ts';
import { Scope } from './scope.ts';

const scope = new Scope();
try {
  const nginx = await startNginx(scope, { '16k.bin': 16_384 });
  const lab = await startLab(scope, ['w1']);
  const observer = startCli('worker', ['observe', '--coordinator', lab.url, '--name', 'wrong'], {
    NODE_OPTIONS: `--import=${path.join(ROOT, 'dist/test/support/wrong-clock.js')}`,
    WRONG_CLOCK_MS: process.argv[2]!,
  });
  scope.after(() => observer.child.kill());
  await observer.says(/joined/);
  const scenario = path.join(lab.data, 'rising.yaml');
  // It rises, so that a sample shows when it really was.
  await writeFile(
    scenario,
    `targets: { nginx: "${nginx.url}" }
request: { path: /16k.bin }
load: { executor: ramping-arrival-rate, startRate: 0/s, maxConnections: 20, stages: [{ duration: 4s, target: 800/s }] }
`,
  );
  const { stdout, stderr } = await lab.run([scenario, '--format', 'json']);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
} finally {
  await scope.close();
}
