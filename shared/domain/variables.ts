/**
 * `vars: { sizes: [4KiB, 64KiB], host: 127.0.0.1 }` and `${vars.sizes}` anywhere in a scenario. Variables are put in
 * before anything else is read, so what they stand for is checked as if it were written there; a scenario that travels
 * has none left.
 */
import { refuse } from './fields.ts';
import { didYouMean, type Path, type Problem, ScenarioProblems, show } from './problem.ts';
import { referencesIn } from './sweep.ts';

const PREFIX = 'vars.';
const NAME = /^[A-Za-z][\w-]*$/;
/** `$${` is a literal `${`, and is left as it is: what comes after reads it again. */
const ESCAPE_OR_VARIABLE = /\$\$\{|\$\{\s*vars\.([^}]*)\}/g;
const WHOLE_VARIABLE = /^\$\{\s*vars\.([^}]*)\}$/;
/** What variables may multiply a scenario to. */
const MOST_EXPANDED_CHARACTERS = 8 * 1024 ** 2;

type Variables = Record<string, unknown>;

export function hasVariables(scenario: unknown): boolean {
  return isMapping(scenario) && Object.hasOwn(scenario, 'vars');
}

/**
 * A copy with every `${vars.name}` replaced and without `vars`. A text that is nothing but one reference becomes the
 * variable's value, whatever that is (a list, say); inside a longer text a scalar is written out.
 * @param written before flags changed it: what a flag has put in the place of a reference may leave nothing that uses it
 * @throws ScenarioProblems for variables that there are not, that nothing uses, or that do not fit
 */
export function expandVariables(scenario: unknown, written: unknown = scenario): unknown {
  if (!isMapping(scenario)) return scenario;
  const { vars, ...rest } = scenario;
  const variables = vars ?? {};
  if (!isMapping(variables) || (vars === null && 'vars' in scenario)) {
    const message = refuse(vars, 'a mapping of names to values such as { sizes: [4KiB, 64KiB] }').message;
    throw new ScenarioProblems([{ path: ['vars'], message }]);
  }
  const expansion = new Expansion(variables);
  const expanded = expansion.expand(rest, []);
  const problems = [...expansion.problems, ...definitionProblems(variables)];
  // A misspelt reference leaves its variable unused; one of the two messages is enough.
  if (problems.length === 0) problems.push(...unusedProblems(variables, usedIn(written)));
  if (problems.length > 0) throw new ScenarioProblems(problems);
  return expanded;
}

/** Replaces references in one scenario, and notes what is wrong with them. */
class Expansion {
  readonly problems: Problem[] = [];
  private readonly variables: Variables;
  private readonly lengths = new Map<string, number>();
  private characters = 0;

  constructor(variables: Variables) {
    this.variables = variables;
  }

  expand(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return this.expandText(value, path);
    if (Array.isArray(value)) return value.map((item, i) => this.expand(item, [...path, i]));
    if (!isMapping(value)) return value;
    // fromEntries defines keys and never sets them, so that a key `__proto__` stays a key.
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.expand(inner, [...path, key])]),
    );
  }

  private expandText(text: string, path: Path): unknown {
    if (!text.includes('${')) return text;
    const whole = WHOLE_VARIABLE.exec(text)?.[1]?.trim();
    if (whole !== undefined) return this.valueOf(whole, path);
    return text.replace(ESCAPE_OR_VARIABLE, (match, written: string | undefined) => {
      if (written === undefined) return match;
      const name = written.trim();
      const value = this.valueOf(name, path);
      if (value === null || typeof value !== 'object') return String(value);
      const message = `\${vars.${name}} is ${Array.isArray(value) ? 'a list' : 'a mapping'}, which cannot stand inside a text`;
      this.problems.push({ path, message });
      return match;
    });
  }

  private valueOf(name: string, path: Path): unknown {
    if (!Object.hasOwn(this.variables, name)) {
      const names = Object.keys(this.variables);
      const known = names.length === 0 ? '; there are no vars' : didYouMean(name, names);
      this.problems.push({ path, message: `\${vars.${name}} is not a variable${known}` });
      return '';
    }
    this.characters += this.lengthOf(name);
    if (this.characters <= MOST_EXPANDED_CHARACTERS) return this.variables[name];
    throw new ScenarioProblems([{ path, message: 'variables make this scenario too large; write it out' }]);
  }

  private lengthOf(name: string): number {
    const known = this.lengths.get(name) ?? JSON.stringify(this.variables[name])?.length ?? 0;
    this.lengths.set(name, known);
    return known;
  }
}

function definitionProblems(variables: Variables): Problem[] {
  return Object.entries(variables).flatMap(([name, value]): Problem[] => {
    const path = ['vars', name];
    if (!NAME.test(name)) {
      const message = `${show(name)} is not a name of letters, digits, "-" and "_"`;
      return [{ path, message, atKey: true }];
    }
    if (value === null) return [{ path, message: 'the value is empty; expected a default' }];
    return referencesIn(value, path)
      .filter(({ axis }) => axis?.startsWith(PREFIX))
      .map((reference) => ({ path: reference.path, message: 'a variable cannot be made of another one' }));
  });
}

function usedIn(scenario: unknown): Set<string> {
  const names = referencesIn(scenario).flatMap(({ axis }) =>
    axis?.startsWith(PREFIX) === true ? [axis.slice(PREFIX.length).trim()] : [],
  );
  return new Set(names);
}

function unusedProblems(variables: Variables, used: ReadonlySet<string>): Problem[] {
  return Object.keys(variables)
    .filter((name) => !used.has(name))
    .map((name) => {
      const message = `the variable is not used; put \${vars.${name}} somewhere, or remove it`;
      return { path: ['vars', name], message, atKey: true };
    });
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
