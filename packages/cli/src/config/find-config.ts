import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const names = ["ts", "mts", "js", "mjs"].map((extension) => `queuert.config.${extension}`);

/** The nearest config, upwards to the root of the repository. */
export const findConfig = (from: string): string | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).find(isFile);
    if (found !== undefined) return found;
    // A config above the repository belongs to something else.
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return undefined;
  }
};

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
