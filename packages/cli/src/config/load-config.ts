// A config is a module: TypeScript where Node can strip types, else through jiti.
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { CliConfigError } from "../errors.ts";
import { checkConfig } from "./check-config.ts";
import type { Config } from "./define-config.ts";

export const loadConfig = async (file: string): Promise<Config> => {
  if (!existsSync(file)) throw new CliConfigError(`There is no config at ${file}.`);
  let module: unknown;
  try {
    module = await importModule(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliConfigError(`${file} could not be loaded: ${reason}`, { cause: error });
  }
  return checkConfig(defaultOf(module), file);
};

const importModule = async (file: string): Promise<unknown> => {
  const isTypeScript = /^\.m?ts$/.test(extname(file));
  if (!isTypeScript || canStripTypes()) return import(pathToFileURL(file).href);
  const { createJiti } = await import("jiti");
  // No cache in the project's folder: a config is small, and a read-only folder must do.
  return createJiti(import.meta.url, { fsCache: false }).import(file);
};

/** Node 22.18 and newer; the property is missing in older versions. */
const canStripTypes = (): boolean =>
  Boolean((process.features as { readonly typescript?: unknown }).typescript);

/** A module of CommonJS may arrive with one default more. */
const defaultOf = (module: unknown): unknown => {
  const { default: first } = Object(module) as { readonly default?: unknown };
  const { default: second } = Object(first) as { readonly default?: unknown };
  return second ?? first;
};
