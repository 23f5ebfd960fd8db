// Drivers and adapters come from the project, not from the command line's own dependencies: they are the versions that the
// application runs.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CliPackageMissingError } from "../errors.ts";

const resolveFrom = (folder: string, name: string): string | undefined => {
  try {
    return createRequire(join(folder, "noop.js")).resolve(name);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === "MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return undefined;
    throw error;
  }
};

/** The module, or undefined if the project has no such package. */
export const findPackage = async (folder: string, name: string): Promise<unknown> => {
  const path = resolveFrom(folder, name);
  return path === undefined ? undefined : import(pathToFileURL(path).href);
};

/** The module of one of our adapters. Its type is that of the version that this package was built with. */
export const loadPackage = async <TModule>(folder: string, name: string): Promise<TModule> => {
  const module = await findPackage(folder, name);
  if (module === undefined) throw new CliPackageMissingError([packageOf(name)]);
  return module as TModule;
};

/** The first driver that the project has, with its name. A CommonJS module is its default export. */
export const loadDriver = async (
  folder: string,
  names: readonly string[],
): Promise<{ readonly name: string; readonly driver: unknown }> => {
  for (const name of names) {
    const module = await findPackage(folder, name);
    if (module === undefined) continue;
    const { default: main } = module as { readonly default?: unknown };
    return { name, driver: main ?? module };
  }
  throw new CliPackageMissingError(names);
};

const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
