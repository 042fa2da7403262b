/** `coordinator import har|postman|openapi FILE --out DIR`: what others have recorded or described → a scenario. */
import path from 'node:path';
import { Command } from 'commander';
import { BroadsideError } from '../../shared/errors.ts';

interface ImportFlags {
  out: string;
  origin?: string;
  script?: boolean;
}

const MOST_FILE_BYTES = 256 * 1024 ** 2;

export function importCommand(): Command {
  const command = new Command('import').description(
    'make a scenario of a HAR file, a Postman collection or an OpenAPI description',
  );
  command
    .command('har')
    .description('requests that a browser has saved, as a scenario for the built-in engine')
    .argument('<file>', 'a HAR file')
    .requiredOption('--out <dir>', 'where to: a folder that is new or empty')
    .option(
      '--origin <url>',
      'of the servers in the file, the one to load (default: the one with most requests)',
    )
    .option('--script', 'a k6 script instead, by the program har-to-k6')
    .action((file: string, flags: ImportFlags) =>
      flags.script === true ? converted('har', file, flags) : har(file, flags),
    );
  for (const kind of ['postman', 'openapi'] as const)
    command
      .command(kind)
      .description(
        `a k6 script of ${kind === 'postman' ? 'a Postman collection, by the program postman-to-k6' : 'an OpenAPI description, by the program openapi-generator-cli'}`,
      )
      .argument('<file>', kind === 'postman' ? 'an exported collection' : 'a description in YAML or JSON')
      .requiredOption('--out <dir>', 'where to: a folder that is new or empty')
      .action((file: string, flags: ImportFlags) => converted(kind, file, flags));
  return command;
}

async function har(file: string, { out, origin }: ImportFlags): Promise<void> {
  const { readText } = await import('../../shared/domain/read-file.ts');
  const { importHar } = await import('../import/har.ts');
  if (origin !== undefined && !/^https?:\/\/[^/]/.test(origin))
    throw new BroadsideError('USAGE', `--origin ${origin}: expected a URL such as http://10.0.0.5:8080`);
  const { scenario, dropped } = importHar(
    readText(file, MOST_FILE_BYTES, 'a HAR'),
    path.basename(file),
    origin,
  );
  await openFolder(out);
  await writeScenario(out, scenario, dropped);
}

async function converted(
  kind: 'har' | 'postman' | 'openapi',
  file: string,
  { out, origin }: ImportFlags,
): Promise<void> {
  if (origin !== undefined)
    throw new BroadsideError('USAGE', '--origin: a script has the requests to all servers; leave it out');
  const { readText } = await import('../../shared/domain/read-file.ts');
  const { convert } = await import('../import/converter.ts');
  const { CONVERTERS } = await import('../import/converters.ts');
  const text = readText(file, MOST_FILE_BYTES, 'this');
  const { existsSync } = await import('node:fs');
  const converter = CONVERTERS[kind];
  await openFolder(out);
  const words = await convert(converter, path.resolve(file), path.resolve(out));
  if (words !== '') process.stderr.write(`${words}\n`);
  if (!existsSync(path.join(out, 'script.js')))
    throw new BroadsideError('FILE_UNREADABLE', `${file}: the converter has left no script.js in ${out}`);
  const name = path.basename(file, path.extname(file));
  await writeScenario(out, { name, engine: 'k6', k6: { script: 'script.js' } }, converter.dropped(text));
}

/** @throws BroadsideError USAGE for one that has something in it */
async function openFolder(out: string): Promise<void> {
  const { mkdir, readdir } = await import('node:fs/promises');
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0)
    throw new BroadsideError('USAGE', `--out ${out}: the folder is not empty, and nothing is overwritten`);
}

async function writeScenario(out: string, scenario: object, dropped: readonly string[]): Promise<void> {
  const { stringify } = await import('yaml');
  const { writeFile } = await import('node:fs/promises');
  const { readScenario } = await import('../../shared/domain/scenario-source.ts');
  const { checkScript } = await import('../scripts/pack.ts');
  const file = path.join(out, 'scenario.yaml');
  await writeFile(file, stringify(scenario), { flag: 'wx' });
  for (const name of dropped) process.stderr.write(`coordinator: not taken over: ${name}\n`);
  // What was written is looked at as any other scenario is.
  await checkScript(readScenario(file), { folder: out });
  process.stdout.write(`${file}\n`);
}
