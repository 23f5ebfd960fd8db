import { InvalidOptionError } from "../errors.ts";

/** Refuses an option of another name: ignored, a misspelt `maxAttempts` would change how often a job is tried. */
export const assertKnownOptions = (
  given: object,
  names: readonly string[],
  /** Precedes the name in the message, such as `retryConfig.`. */
  prefix = "",
): void => {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || names.includes(name)) continue;
    throw unknownOptionError(name, value, names, prefix);
  }
};

/** The error for an option that is not one of `names`. */
export const unknownOptionError = (
  name: string,
  value: unknown,
  names: readonly string[],
  prefix = "",
): InvalidOptionError => {
  const [near] = nearNames(name, names);
  const remedy =
    near === undefined
      ? `no option has this name; the options are ${names.map((one) => `\`${one}\``).join(", ")}`
      : `the option is called \`${near}\``;
  return new InvalidOptionError(prefix + name, value, remedy);
};

const nearLimits = { names: 3, comparedLength: 100 };

/** The defined names closest to a wrong one, nearest first; empty if none is close. */
export const nearNames = (name: string, defined: Iterable<string>): string[] => {
  if (name.length > nearLimits.comparedLength) return [];
  const tolerance = Math.max(1, Math.floor(name.length / 3));
  return [...defined]
    .filter((candidate) => Math.abs(candidate.length - name.length) <= tolerance)
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .filter(({ edits }) => edits <= tolerance)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, nearLimits.names)
    .map(({ candidate }) => candidate);
};

/** Single-character edits from one name to the other. */
const distance = (left: string, right: string): number => {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, character] of [...left].entries()) {
    const current = [row + 1];
    for (let column = 1; column <= right.length; column++) {
      const above = previous[column] ?? 0;
      const diagonal = previous[column - 1] ?? 0;
      const substituted = diagonal + (character === right[column - 1] ? 0 : 1);
      current.push(Math.min(above + 1, (current[column - 1] ?? 0) + 1, substituted));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
};
