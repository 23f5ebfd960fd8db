import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { CliUsageError } from "../errors.ts";

/** Adds the variables of a file to the environment. Variables that are set already keep their values. */
export const readEnvFile = (
  file: string,
  cwd: string,
  env: Record<string, string | undefined>,
): void => {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new CliUsageError(`--env-file ${file} cannot be read.`, { cause: error });
  }
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
};
