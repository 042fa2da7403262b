/** What all commands have in common, in both programs. */
import { type Command, Help, type Option } from 'commander';

/** A program, once it has all its commands: those that were added whole inherit nothing. */
export function setUpCommands(program: Command): void {
  const name = program.name();
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command.exitOverride();
    command.configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, `${name}:`)) });
    command.configureHelp({ optionDescription });
  }
}

/** An empty list is what there is before a flag that may be repeated was given: nothing to tell anybody. */
function optionDescription(option: Option): string {
  const { defaultValue, description } = option;
  return Array.isArray(defaultValue) && defaultValue.length === 0
    ? description
    : Help.prototype.optionDescription.call(new Help(), option);
}
