// Makes `dist` of a package from its sources and from the declarations that tsc has written to `build`.
// Each export is one file. Code that several exports share is one more file, and code behind `import()` is another. A process
// that imports `queuert` therefore opens 2 files and not 160, and the tarball holds only code that a user can reach.
// Declarations are bundled likewise. Names stay as they are written, so that stack traces and hovers can be read.
// Called by build.mjs, or with the names of package folders.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { buildable, readJson } from "./workspace.mjs";

/** @param {string} path @returns {string[]} the sources of its exports, from the package's folder */
const entriesOf = (path) =>
  Object.values(readJson(join(path, "package.json")).exports).flatMap((target) =>
    typeof target === "string" ? [] : [target["@queuert/source"]],
  );

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
 * Indentation becomes tabs: 40 kB of core's tarball.
 * @param {string} code
 * @param {number} width the spaces of a level
 */
const withTabs = (code, width) =>
  code.replace(new RegExp(`^(?: {${width}})+`, "gm"), (spaces) =>
    "\t".repeat(spaces.length / width),
  );

/**
 * The code without its comments, which the repository keeps: 38 kB of core's tarball. A compact print drops them. A second
 * print gives the lines and the indentation back.
 * @param {string} code
 */
const slim = async (code) => {
  const options = /** @type {const} */ ({ charset: "utf8", target: "node20.19" });
  const compact = await transform(code, { ...options, minifyWhitespace: true });
  const printed = await transform(compact.code, options);
  // A line of the compact print that begins with spaces is a part of a text, which must stay as it is.
  return /\n {2}/.test(compact.code) ? printed.code : withTabs(printed.code, 2);
};

/**
 * The declarations of a package, from those that tsc has written to `build`.
 * @param {readonly string[]} entries the sources of its exports
 * @param {string} path
 * @param {string} dist
 */
const bundleDeclarations = async (entries, path, dist) => {
  const [source, declarations] = [join(path, "src"), join(path, "build")];
  const inputs = entries.map((entry) => relative(source, entry).replace(/\.ts$/, ""));
  const bundled = await rollup({
    input: Object.fromEntries(inputs.map((name) => [name, join(declarations, `${name}.d.ts`)])),
    external: (id) => !/^[./]/.test(id),
    plugins: [
      {
        name: "declarations-of-sources",
        resolveId: (specifier, importer) =>
          importer !== undefined && specifier.startsWith(".")
            ? join(dirname(importer), specifier.replace(/\.[jt]s$/, ".d.ts"))
            : null,
      },
      dts(),
    ],
    // A command has no declarations. Types that an export mentions and does not export stay without a name for users.
    onwarn: ({ code, message }) => {
      if (!["EMPTY_BUNDLE", "PLUGIN_WARNING", "UNUSED_EXTERNAL_IMPORT"].includes(code ?? ""))
        throw new Error(message);
    },
  });
  await bundled.write({
    dir: dist,
    entryFileNames: "[name].d.ts",
    chunkFileNames: "types-[hash].d.ts",
    minifyInternalExports: false,
  });
};

/** @param {{ path: string }} target */
export const bundle = async ({ path }) => {
  const dist = join(path, "dist");
  rmSync(dist, { recursive: true, force: true });
  const entries = await bundleCode(path, dist);
  await bundleDeclarations(entries, path, dist);
  for (const name of readdirSync(dist, { encoding: "utf8", recursive: true })) {
    const file = join(dist, name);
    if (statSync(file).isDirectory()) continue;
    const code = readFileSync(file, "utf8");
    writeFileSync(file, name.endsWith(".js") ? await slim(code) : withTabs(code, 4));
  }
  await buildPage(path, join(dist, "assets"));
};

const folders = process.argv[1] === fileURLToPath(import.meta.url) ? process.argv.slice(2) : [];
for (const target of buildable().filter(({ dir }) => folders.includes(dir))) {
  if (!existsSync(join(target.path, "build"))) throw new Error(`${target.dir}: run tsc -b first`);
  await bundle(target);
}
