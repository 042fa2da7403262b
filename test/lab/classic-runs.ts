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
const SWEEP = ['duration=5s', 'warmup=2s', 'rounds=3'];

export const CLASSIC_RUNS: readonly ClassicRun[] = [
  {
    name: 'static-files-1',
    title: 'Static files by connector, one connection (2009)',
    scenario: 'static-files.yaml',
    settings: ['sizes=4KiB,32KiB,256KiB,1MiB,8MiB', 'connections=1', 'duration=4s', 'warmup=1s', 'rounds=3'],
    brief: ['sizes=4KiB,1MiB', 'connections=1', ...SHORT],
  },
  {
    name: 'static-files-40',
    title: 'Static files by connector, forty connections (2009)',
    scenario: 'static-files.yaml',
    // Forty files of 1 MiB take the link more than three seconds.
    settings: ['sizes=4KiB,32KiB,256KiB,1MiB', 'connections=40', 'duration=8s', 'warmup=1s', 'rounds=3'],
    brief: ['sizes=4KiB,32KiB', 'connections=40', ...SHORT],
  },
  {
    name: 'httpd-tomcat-joined',
    title: 'httpd alone, Tomcat alone, both joined (2004)',
    scenario: 'httpd-tomcat-joined.yaml',
    settings: ['requests=40000', 'warmup.duration=3s', 'rounds=5'],
    brief: ['requests=400', 'warmup.duration=200ms', 'rounds=1'],
  },
  {
    name: 'response-sizes',
    title: 'Response sizes by server version (2002)',
    scenario: 'response-sizes.yaml',
    settings: ['duration=4s', 'warmup=2s', 'rounds=5'],
    brief: ['sizes=0B,32KiB', ...SHORT],
  },
  {
    name: 'connector-settings',
    title: 'Four connector settings under 900 connections (2008)',
    scenario: 'connector-settings.yaml',
    settings: ['duration=10s', 'warmup.duration=3s', 'rounds=5'],
    brief: ['duration=1s', 'warmup.duration=200ms', 'rounds=1'],
  },
  {
    name: 'dynamic-page-sizes',
    title: 'One dynamic page by the size of its output (2001)',
    scenario: 'dynamic-page.yaml',
    settings: ['sizes=25,1024,4096,16384', 'clients=100', ...SWEEP],
    brief: ['sizes=25,16384', 'clients=100', ...SHORT],
  },
  {
    name: 'dynamic-page-sleeps',
    title: 'One dynamic page by the time that it waits (2001)',
    scenario: 'dynamic-page.yaml',
    settings: ['sleeps=0,100,400,1600', 'clients=100', ...SWEEP],
    brief: ['sleeps=0,100', 'clients=100', ...SHORT],
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
