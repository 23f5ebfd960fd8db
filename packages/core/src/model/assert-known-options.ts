import { InvalidOptionError } from "../errors.ts";
import { nearNames } from "./near-names.ts";

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
