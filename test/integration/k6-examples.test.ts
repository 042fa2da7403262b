/**
 * k6's own example scripts, as they are, over two workers. $K6_EXAMPLES names a folder of them (`examples` of k6's sources);
 * what the scripts talk to is a server on this machine, to which k6's own option `hosts` leads.
 */
import assert from 'node:assert/strict';
import { cp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startExampleHosts } from '../support/example-hosts.ts';
import { K6_BINARY, WITHOUT_K6 } from '../support/k6.ts';
import { type Lab, reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';

const EXAMPLES = process.env.K6_EXAMPLES;
const WITHOUT =
  WITHOUT_K6 || (EXAMPLES === undefined && "K6_EXAMPLES does not name a folder of k6's examples");

interface Row {
  /** Of k6, before what the script says; by default two iterations, one on each worker. */
  options?: string;
  /** Checks that fail by what the script says, or by chance. */
  fails?: readonly string[];
  /** Iterations, where it is not left to time. */
  iterations?: number;
  /** A script that is an example of an error: what the user is told. */
  told?: RegExp;
  /** One of these exit codes (0). */
  codes?: readonly number[];
}

const TWICE = 'vus: 2, iterations: 2';
const ALL_PASS: Row = {};

/** Every file of k6's examples that k6 can run: what is expected of it, or why it is not run. */
const ROWS: [example: RegExp, Row | string][] = [
  [/^browser\//, 'needs a browser'],
  [/^grpc_/, 'needs the gRPC server of the same folder, which has to be built with Go'],
  [/^pantheon(test)?\.js$/, 'needs the shop of its author'],
  [/^graphql\.js$/, 'needs an account at api.github.com'],
  [/^ocsp\.js$/, 'needs a certificate whose authority answers for it (OCSP)'],
  [
    /^tlsconfig\.js$/,
    'needs a server with an RSA key and a cipher suite of TLS 1.2 that is no longer offered',
  ],
  [/^experimental\/redis\.js$/, 'imports from https://jslib.k6.io'],
  [/^websockets\/ws\.js$/, 'imports from https://jslib.k6.io'],
  [/^secrets\//, 'needs --secret-source, which a scenario cannot give'],
  [/^malicious\.js$/, 'never ends, which is its point'],
  [/^enhanced\/user\.ts$/, 'is imported by enhanced/script.ts, and no script itself'],
  [/^source_map\/issue_1804\/imported\.js$/, 'is imported by main.js beside it, and no script itself'],

  [/^enhanced\/abort\.ts$/, { codes: [3], told: /k6 ended the test itself: .*failed/ }],
  [/^source_map\/issue_1804\/main\.js$/, { codes: [3], told: /line 6.*imported\.js:6/s }],
  [/^source_map\/typescript_template\//, { codes: [3], told: /cool is cool/ }],

  [/^es6sample\.js$/, { fails: ['top-level test', 'random value is < 0.5', 'always fails'] }],
  [/^experimental\/csv-parse\.js$/, { options: '', iterations: 10 }],
  [/^experimental\/csv-parser\.js$/, { options: '', iterations: 10 }],
  [/^experimental\/fs\/fs\.js$/, { options: '', iterations: 1_000 }],
  // Its thresholds are about how fast the machine is.
  [/^localhost\.js$/, { options: 'vus: 2, duration: 2s', codes: [0, 99] }],
  [/^(stages|docker-compose\/.*)\.js$/, { options: 'vus: 2, duration: 2s' }],
  [
    /^(base64|cookies|crypto|custom_metrics|html_form_post|http_\w+|json|jwt|logging|redirects)\.js$/,
    ALL_PASS,
  ],
  [/^(tagging|thresholds|thresholds_readme_example|timers|tls_skip_cert_verification)\.js$/, ALL_PASS],
  [/^(websocket|websockets\/test-echo)\.js$/, ALL_PASS],
  [/^enhanced\/script\.ts$/, ALL_PASS],
  [/^experimental\/(writable-)?streams\.js$/, ALL_PASS],
  [/^webcrypto\//, ALL_PASS],
];

const examples =
  WITHOUT === false
    ? (await readdir(EXAMPLES!, { recursive: true })).filter((file) => /\.[jt]s$/.test(file)).sort()
    : [];

describe("k6's own examples", { skip: WITHOUT }, () => {
  let scope: Scope;
  let lab: Lab;
  let folder: string;

  before(async () => {
    scope = new Scope();
    folder = path.join(await temporaryDirectory(scope), 'examples');
    await cp(EXAMPLES!, folder, { recursive: true });
    const config = path.join(folder, 'hosts.json');
    await writeFile(config, JSON.stringify(await startExampleHosts(scope)));
    lab = await startLab(scope, []);
    for (const name of ['w1', 'w2'])
      await lab.addWorker(name, ['--k6', K6_BINARY!], { env: { K6_CONFIG: config } });
  });
  after(() => scope?.close());

  for (const example of examples) {
    const row = ROWS.find(([pattern]) => pattern.test(example))?.[1];
    test(example, { skip: typeof row === 'string' && row }, async () => {
      assert.ok(typeof row === 'object', 'it is not in the list of this test');
      const { options = TWICE, iterations, fails = [], told, codes = [0] } = row;
      const file = path.join(folder, 'example.yaml');
      const keys = `engine: k6\nk6: { script: "${example}"${options && `, ${options}`} }`;
      await writeFile(file, `name: example\n${keys}\nworkers: { count: 2 }\n`);
      const result = await lab.run([file, '--format', 'json']);
      assert.ok(codes.includes(result.code!), `exit ${result.code}: ${result.stderr}`);
      const { summary, ledger, dnf, script } = reportOf(result).trials[0]!;
      if (told !== undefined) {
        assert.match(`${dnf?.reason} ${script?.firstError?.message}`, told);
        return;
      }
      const { iterations: done = 0, checks = [] } = summary.script!;
      if (options === TWICE || iterations !== undefined) assert.equal(done, iterations ?? 2);
      else assert.ok(done > 0);
      assert.deepEqual(
        checks.filter((check) => check.fails > 0 && !fails.includes(check.name)),
        [],
      );
      assert.equal(script?.firstError, undefined);
      assert.deepEqual(ledger.problems, []);
    });
  }
});
