// A config is read at run time, often without a compiler: a misspelt field must not be ignored.
import { CliConfigError } from "../errors.ts";
import type { Config, StoreConfig } from "./define-config.ts";

type Kind = "text" | "function" | "boolean" | "object" | "object or function";

const storeFields: Readonly<Record<keyof StoreConfig, Kind>> = {
  url: "text",
  schema: "text",
  prefix: "text",
  idType: "text",
  stateAdapter: "function",
  notifyAdapter: "function",
  close: "function",
  environment: "text",
  redact: "object or function",
  redactText: "function",
  confirm: "text",
  readOnly: "boolean",
};

const configFields: Readonly<Record<keyof Config, Kind>> = {
  ...storeFields,
  jobTypeDefinitions: "object",
  import: "object",
  profiles: "object",
};

/** The value as a config. The errors name the file and the field. */
export const checkConfig = (value: unknown, file: string): Config => {
  if (typeof value !== "object" || value === null) {
    throw new CliConfigError(
      `${file} has no config as its default export. Write: export default defineConfig({ … })`,
    );
  }
  checkFields(value, configFields, file, "");
  const { profiles = {} } = value as Config;
  for (const [name, profile] of Object.entries(profiles)) {
    if (typeof profile !== "object" || profile === null) {
      throw new CliConfigError(`\`profiles.${name}\` of ${file} is not an object.`);
    }
    checkFields(profile, storeFields, file, `profiles.${name}.`);
  }
  return value;
};

const checkFields = (
  value: object,
  fields: Readonly<Record<string, Kind>>,
  file: string,
  path: string,
): void => {
  for (const [name, found] of Object.entries(value)) {
    const kind = fields[name];
    if (kind === undefined) {
      throw new CliConfigError(
        `\`${path}${name}\` of ${file} is not a field of a config. Fields: ${Object.keys(fields).join(", ")}.`,
      );
    }
    if (found !== undefined && !isOfKind(found, kind)) {
      throw new CliConfigError(`\`${path}${name}\` of ${file} is not ${described[kind]}.`);
    }
  }
};

const described: Readonly<Record<Kind, string>> = {
  text: "a string",
  function: "a function",
  boolean: "true or false",
  object: "an object",
  "object or function": "an object or a function",
};

const isOfKind = (value: unknown, kind: Kind): boolean => {
  if (kind === "text") return typeof value === "string" && value !== "";
  const isObject = typeof value === "object" && value !== null;
  if (kind === "object or function") return isObject || typeof value === "function";
  return kind === "object" ? isObject : typeof value === kind;
};
