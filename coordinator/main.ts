#!/usr/bin/env node
/** The `coordinator` command: its subcommands, and how an error becomes a message and an exit code. */
import { Command } from 'commander';
import { tellError } from '../shared/command-error.ts';
import { setUpCommands } from '../shared/command-setup.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';
import { compareCommand } from './cli/compare.ts';
import { doctorCommand } from './cli/doctor.ts';
import { importCommand } from './cli/import.ts';
import { cancelCommand, listCommand, showCommand, workersCommand } from './cli/lists.ts';
import { reportCommand } from './cli/report.ts';
import { runCommand } from './cli/run.ts';
import { startCommand } from './cli/start.ts';
import { targetCommand } from './cli/target.ts';
import { validateCommand } from './cli/validate.ts';

const program = new Command('coordinator')
  .description('Broadside: a distributed HTTP load lab')
  .version(BROADSIDE_VERSION)
  .showSuggestionAfterError();

for (const command of [
  startCommand(),
  runCommand(),
  reportCommand(),
  compareCommand(),
  listCommand(),
  showCommand(),
  cancelCommand(),
  workersCommand(),
  validateCommand(),
  doctorCommand(),
  importCommand(),
  targetCommand(),
]) {
  program.addCommand(command);
}
setUpCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = tellError('coordinator', error);
}
// Whatever still holds the event loop (a socket that lingers) has nothing left to say.
process.exit();
