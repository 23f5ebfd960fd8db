import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CliUsageError } from "../errors.ts";

/** JSON as it is written, of a file (`@input.json`), or of the standard input (`@-`). */
export const readPayload = (given: string, option: string, cwd: string): unknown => {
  let text = given;
  if (given.startsWith("@")) {
    try {
      text = readFileSync(given === "@-" ? 0 : resolve(cwd, given.slice(1)), "utf8");
    } catch (error) {
      throw new CliUsageError(`${option} ${given} cannot be read.`, { cause: error });
    }
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CliUsageError(
      `${option} is not JSON: a text needs double quotes, such as '"Ada"'. A file is @input.json.`,
      { cause: error },
    );
  }
};
