import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Choices, UsageError } from "./choices.ts";
import { projectFiles, type VersionOf } from "./project-files.ts";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

/** Tarballs of a folder instead of published versions. */
const versionsOf = (tarballs: string | undefined): VersionOf => {
  if (tarballs === undefined) return () => `^${manifest.version}`;
  const folder = resolve(tarballs);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return (name) => {
    const start = `${name.replace("@", "").replace("/", "-")}-`;
    const tarball = names.find(
      (each) => each.startsWith(start) && /^\d/.test(each.slice(start.length)),
    );
    if (tarball === undefined) throw new UsageError(`--tarballs has no tarball of ${name}.`);
    return `file:${join(folder, tarball)}`;
  };
};

/** Writes the project into a folder that is new or empty. Returns the paths of its files. */
export const writeProject = (
  folder: string,
  choices: Choices,
  tarballs?: string | undefined,
): string[] => {
  const existing = existsSync(folder) ? readdirSync(folder).filter((name) => name !== ".git") : [];
  if (existing.length > 0) {
    throw new UsageError(`${folder} is not empty: give the name of a new folder.`);
  }
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
  const files = projectFiles(name, choices, versionsOf(tarballs));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return [...files.keys()];
};
