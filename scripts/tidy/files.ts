import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export type File = {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const notOurs = new Set(["node_modules", "build", "dist", "coverage", ".git"]);
const notText = /\.(png|ico|gz|tgz|db|tsbuildinfo|log)$/;

const walk = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [path] : [];
  });

const fromRoot = (path: string): string => relative(root, path).split(sep).join("/");
const all = walk(root);

/** Every text file of the workspace that is or will be in the repository. */
export const files: readonly File[] = all
  .filter((path) => !notText.test(path))
  .map((path) => ({ path: fromRoot(path), text: readFileSync(path, "utf8") }));

// Pictures, too: a document may show one.
const paths = new Set(all.map(fromRoot));
const folders = new Set(
  [...paths].flatMap((path) =>
    path.split("/").map((_, index, parts) => parts.slice(0, index).join("/")),
  ),
);

export const exists = (path: string): boolean =>
  paths.has(path) || folders.has(path.replace(/\/$/, ""));

export const isTypeScript = ({ path }: File): boolean => /\.(ts|tsx|mts)$/.test(path);

/** A test, a suite that is published as one, a benchmark: long lists of cases are fine in them. */
export const isTest = ({ path }: File): boolean =>
  /\.(test|test-d|suite|bench)\.tsx?$|^packages\/[^/]+\/(test|bench)\//.test(path);

export const sources: readonly File[] = files.filter(
  (file) => isTypeScript(file) && /^packages\/[^/]+\/src\//.test(file.path) && !isTest(file),
);

/** `path:line` of every match, for a message that an editor can open. */
export const occurrences = (file: File, pattern: RegExp): string[] =>
  file.text
    .split("\n")
    .flatMap((line, index) =>
      pattern.test(line) ? [`${file.path}:${index + 1}: ${line.trim()}`] : [],
    );

export const lineCount = ({ text }: File): number => text.replace(/\n$/, "").split("\n").length;

/** The value below which the given share of the numbers lies. */
export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
};
