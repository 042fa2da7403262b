/** The classic experiments as they are run in the lab: which values of theirs, how long, how often. */

export interface ClassicRun {
  /** Of its page of results. */
  name: string;
  title: string;
  /** In scenarios/classic. */
  scenario: string;
  /** For `--set`. */
  settings: string[];
  /** Instead of those: seconds instead of minutes, to see whether it all works. */
  brief: string[];
}

const SHORT = ['duration=500ms', 'warmup=200ms', 'rounds=1'];
const SWEEP = ['duration=3s', 'warmup=1s', 'rounds=5'];

/** The tables of dynamic-page.yaml for another axis than the number of clients. */
const tablesBy = (axis: string): string => {
  const metrics = [
    'title: pages, metric: requestRate, unit: req/s',
    'title: to the clients, metric: transferRate, unit: Mbit/s',
  ];
  return `report=[${metrics.map((metric) => `{ ${metric}, rows: ${axis}, best: none }`).join(', ')}]`;
};

/**
 * Before all, and not kept: Java compiles what it runs often, its first thousand requests are many times slower, and a page
 * is compiled when it is first asked for.
 */
export const WARMING: readonly Pick<ClassicRun, 'scenario' | 'settings' | 'brief'>[] = [
  {
    scenario: 'connector-settings.yaml',
    settings: ['connections=12', 'duration=8s', 'warmup.duration=0s', 'rounds=1'],
    brief: ['connections=12', 'duration=4s', 'warmup.duration=0s', 'rounds=1'],
  },
  {
    scenario: 'static-files.yaml',
    settings: ['sizes=4KiB', 'connections=12', 'duration=5s', 'warmup=0s', 'rounds=1'],
    brief: ['sizes=4KiB', 'connections=12', 'duration=1s', 'warmup=0s', 'rounds=1'],
  },
];

/** About 40 minutes in all. */
export const CLASSIC_RUNS: readonly ClassicRun[] = [
  {
    name: 'static-files-1',
    title: 'Static files by connector, one connection (2009)',
    scenario: 'static-files.yaml',
    // Up to where the link is full, and far beyond: 32 MiB take it 2.8 s.
    settings: [
      'sizes=4KiB,16KiB,32KiB,64KiB,1MiB,32MiB',
      'connections=1',
      'duration=3500ms',
      'warmup=300ms',
      'rounds=5',
    ],
    brief: ['sizes=4KiB,1MiB', 'connections=1', ...SHORT],
  },
  {
    name: 'static-files-40',
    title: 'Static files by connector, forty connections (2009)',
    scenario: 'static-files.yaml',
    // Forty files of 256 KiB take the link nearly a second.
    settings: ['sizes=4KiB,32KiB,256KiB', 'connections=40', 'duration=3s', 'warmup=1s', 'rounds=5'],
    brief: ['sizes=4KiB,32KiB', 'connections=40', ...SHORT],
  },
  {
    name: 'httpd-tomcat-joined',
    title: 'httpd alone, Tomcat alone, both joined (2004)',
    scenario: 'httpd-tomcat-joined.yaml',
    settings: ['requests=24000', 'warmup.duration=2s', 'rounds=5'],
    brief: ['requests=400', 'warmup.duration=200ms', 'rounds=1'],
  },
  {
    name: 'response-sizes',
    title: 'Response sizes by server version (2002)',
    scenario: 'response-sizes.yaml',
    settings: ['duration=3s', 'warmup=500ms', 'rounds=5'],
    brief: ['sizes=0B,32KiB', ...SHORT],
  },
  {
    name: 'connector-settings',
    title: 'Four connector settings under 900 connections (2008)',
    scenario: 'connector-settings.yaml',
    settings: ['duration=8s', 'warmup.duration=2s', 'rounds=5'],
    brief: ['duration=4s', 'warmup.duration=200ms', 'rounds=1'],
  },
  {
    name: 'dynamic-page-sizes',
    title: 'One dynamic page by the size of its output (2001)',
    scenario: 'dynamic-page.yaml',
    settings: ['sizes=25,1024,4096,16384', 'clients=100', ...SWEEP, tablesBy('size')],
    brief: ['sizes=25,16384', 'clients=100', ...SHORT, tablesBy('size')],
  },
  {
    name: 'dynamic-page-sleeps',
    title: 'One dynamic page by the time that it waits (2001)',
    scenario: 'dynamic-page.yaml',
    // Long enough for six pages of each client, one after another: in 3 s there would be only one that is whole.
    settings: [
      'sleeps=0,100,400,1600',
      'clients=100',
      'duration=10s',
      'warmup=2s',
      'rounds=5',
      tablesBy('sleep'),
    ],
    brief: ['sleeps=0,100', 'clients=100', ...SHORT, tablesBy('sleep')],
  },
  {
    name: 'dynamic-page-clients',
    title: 'One dynamic page by the number of clients (2001)',
    scenario: 'dynamic-page.yaml',
    settings: SWEEP,
    brief: ['clients=25,200', ...SHORT],
  },
  {
    // The last one, for the servers stay on their CPUs.
    name: 'dynamic-page-cpus',
    title: 'One dynamic page by the server’s CPUs (2001)',
    scenario: 'dynamic-page-cpus.yaml',
    settings: ['cpus=2,1', ...SWEEP],
    brief: ['cpus=2,1', ...SHORT],
  },
];
