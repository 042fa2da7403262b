/** Installing a program with the package manager of the system. */
import { findProgram, run, SetupError, say, searchPath } from './console.mjs';

/**
 * The package managers that are known, in the order in which they are looked for, and the packages that hold each
 * program. Several packages are tried in turn: Fedora 41 replaced Redis by Valkey, which brings the name along.
 */
export const INSTALLERS = [
  {
    name: 'apt-get',
    needsRoot: true,
    refresh: ['update'],
    install: ['install', '-y', '--no-install-recommends'],
    environment: { DEBIAN_FRONTEND: 'noninteractive' },
    packages: {
      'redis-server': ['redis-server'],
      nginx: ['nginx-light', 'nginx'],
      ab: ['apache2-utils'],
      wrk: ['wrk'],
      h2load: ['nghttp2-client'],
      // Not `apache2` and `tomcat10`: those start a server of their own, on port 80 and 8080.
      apache2: ['apache2-bin'],
      'catalina.sh': ['tomcat10-common'],
    },
  },
  {
    name: 'dnf',
    needsRoot: true,
    install: ['install', '-y'],
    packages: { 'redis-server': ['redis', 'valkey-compat-redis'] },
  },
  { name: 'apk', needsRoot: true, install: ['add'], packages: { 'redis-server': ['redis'] } },
  { name: 'brew', needsRoot: false, install: ['install'], packages: { 'redis-server': ['redis'] } },
];

/** The first package manager on this system, or undefined. */
export function systemInstaller(path = searchPath()) {
  return INSTALLERS.find((installer) => findProgram(installer.name, path) !== undefined);
}

/**
 * The command lines that install `program`, in order; the ones in `alternatives` are tried until one works.
 * @param {{isRoot: boolean, hasSudo: boolean, hasTerminal: boolean}} who
 * @returns {{refresh?: string[], alternatives: string[][]} | undefined} undefined when root is needed and out of reach
 */
export function installCommands(installer, program, who) {
  let prefix = [];
  if (installer.needsRoot && !who.isRoot) {
    if (!who.hasSudo) return undefined;
    // Without a terminal nobody can type a password: -n fails at once where sudo would wait for ever.
    prefix = who.hasTerminal ? ['sudo'] : ['sudo', '-n'];
  }
  // `env`, since sudo does not pass the environment on.
  const environment = Object.entries(installer.environment ?? {}).map(([name, value]) => `${name}=${value}`);
  if (environment.length > 0) prefix = [...prefix, 'env', ...environment];
  const line = (args) => [...prefix, installer.name, ...args];
  return {
    ...(installer.refresh === undefined ? {} : { refresh: line(installer.refresh) }),
    alternatives: installer.packages[program].map((name) => line([...installer.install, name])),
  };
}

/**
 * Installs `program`, saying each command before it runs. Throws a SetupError that says what to do by hand.
 * @returns {Promise<string>} the program's full path
 */
export async function installProgram(program, why) {
  const path = searchPath();
  const installer = systemInstaller(path);
  if (installer?.packages[program] === undefined) {
    throw new SetupError(
      `${program} is not installed (${why}), and none of apt-get, dnf, apk or brew is here to install it with`,
      `Install ${program} so that it is on PATH, and run the command again.`,
    );
  }
  const commands = installCommands(installer, program, {
    isRoot: process.getuid?.() === 0,
    hasSudo: findProgram('sudo', path) !== undefined,
    hasTerminal: process.stdin.isTTY === true,
  });
  const byHand = `${installer.name} ${[...installer.install, installer.packages[program][0]].join(' ')}`;
  if (commands === undefined) {
    throw new SetupError(
      `${program} is not installed (${why}), and installing it needs root`,
      `As root: ${byHand}`,
    );
  }
  say(`${program} is not installed (${why}); installing it with ${installer.name}`);
  // A repository of somebody else's that does not answer fails the refresh, but not what we are after.
  if (commands.refresh !== undefined) await sayAndRun(commands.refresh);
  for (const command of commands.alternatives) {
    const code = await sayAndRun(command);
    const found = findProgram(program, path);
    if (code === 0 && found !== undefined) return found;
  }
  throw new SetupError(`${program} could not be installed (above)`, `By hand, as root: ${byHand}`);
}

function sayAndRun([command, ...args]) {
  say(`$ ${[command, ...args].join(' ')}`);
  return run(command, args);
}
