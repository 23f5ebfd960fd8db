import { InvalidOptionError } from "../errors.ts";
import { nearNames } from "./near-names.ts";

/**
 * Refuses an option that is nearly one of these: ignored, a misspelt `maxAttempts` retries for ever. Names that are not
 * near any of them are let pass, for callers may hand over objects that hold more than options.
 */
export const assertSpelling = (
  given: object,
  names: readonly string[],
  /** Before the name in the message, such as `retryConfig.`. */
  prefix = "",
): void => {
  for (const name in given) if (!names.includes(name)) assertNoTypo(given, name, names, prefix);
};

const assertNoTypo = (
  given: object,
  name: string,
  names: readonly string[],
  prefix: string,
): void => {
  const values = given as Readonly<Record<string, unknown>>;
  const [near] = nearNames(name, names);
  // With the right one beside it, it is something else.
  if (near === undefined || values[near] !== undefined || values[name] === undefined) return;
  throw new InvalidOptionError(prefix + name, values[name], `the option is called \`${near}\``);
};
