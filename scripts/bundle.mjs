// Makes `dist` of a package from its sources and from the declarations that tsc has written to `build`.
// Each export is one file. Code that several exports share is one more file, and code behind `import()` is another. A process
// that imports `queuert` therefore opens 2 files and not 160, and the tarball holds only files that a user can reach.
// Names and line breaks stay as they are written, so that a stack trace can be read.
// Called by build.mjs, or with the names of package folders.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildable, readJson } from "./workspace.mjs";

/** @param {string} path @returns {string[]} the sources of its exports, from the package's folder */
const entriesOf = (path) =>
  Object.values(readJson(join(path, "package.json")).exports).flatMap((target) =>
    typeof target === "string" ? [] : [target["@queuert/source"]],
  );

const imported = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

/**
 * The declarations that an export leads to.
 * @param {readonly string[]} entries
 */
const reachable = (entries) => {
  const found = new Set(entries);
  for (const file of found)
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(imported))
      found.add(join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
  return found;
};

/**
 * The code of a package, without its declarations.
 * @param {string} path
 * @param {string} dist
 * @returns {Promise<string[]>} the sources of its exports
 */
export const bundleCode = async (path, dist) => {
  const entries = entriesOf(path).map((entry) => join(path, entry));
  // The other exports of core, and the code that it loads late, are used beside its first export. Injected everywhere, that
  // export adds no code, and all that it loads is one shared file. Divided among those that share it, it would be eight.
  const inject = basename(path) === "core" ? entries.slice(0, 1) : [];
  await build({
    entryPoints: entries,
    inject,
    outbase: join(path, "src"),
    outdir: dist,
    chunkNames: "shared-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    charset: "utf8",
    logLevel: "warning",
  });
  return entries;
};

/**
 * The page of a package that has one.
 * @param {string} path
 * @param {string} folder
 */
export const buildPage = async (path, folder) => {
  const script = join(path, "scripts/build-app.mjs");
  if (!existsSync(script)) return;
  const { buildApp } = await import(pathToFileURL(script).href);
  await buildApp(folder);
};

/**
 * Four spaces become a tab: 16 kB of core's tarball are indentation of declarations.
 * @param {string} declarations
 */
const withTabs = (declarations) =>
  declarations.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));

/** @param {{ path: string }} target */
export const bundle = async ({ path }) => {
  const [source, declarations, dist] = ["src", "build", "dist"].map((name) => join(path, name));
  if (source === undefined || declarations === undefined || dist === undefined) return;
  rmSync(dist, { recursive: true, force: true });
  const entries = await bundleCode(path, dist);
  const entryDeclarations = entries.map((entry) =>
    join(declarations, relative(source, entry).replace(/\.ts$/, ".d.ts")),
  );
  for (const file of reachable(entryDeclarations)) {
    const target = join(dist, relative(declarations, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withTabs(readFileSync(file, "utf8")));
  }
  await buildPage(path, join(dist, "assets"));
};

const folders = process.argv[1] === fileURLToPath(import.meta.url) ? process.argv.slice(2) : [];
for (const target of buildable().filter(({ dir }) => folders.includes(dir))) {
  if (!existsSync(join(target.path, "build"))) throw new Error(`${target.dir}: run tsc -b first`);
  await bundle(target);
}
