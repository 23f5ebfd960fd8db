// Builds the page into `dist/assets`: one script and one style for the first load, and chunks that are loaded when needed.
// Each name has a hash of the content. `manifest.json` names the files.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param {string} folder
 * @returns {Promise<import("esbuild").Metafile>}
 */
export const buildApp = async (folder) => {
  // A process that reads the folder meanwhile finds all files or none.
  const making = `${folder}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { app: "app/main.tsx" },
    outdir: making,
    entryNames: "[name].[hash]",
    chunkNames: "chunk.[hash]",
    assetNames: "[name].[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const files = Object.keys(metafile.outputs).map((path) => basename(path));
  const named = (/** @type {RegExp} */ pattern) => files.find((name) => pattern.test(name)) ?? "";
  const manifest = { script: named(/^app\..*\.js$/), style: named(/^app\..*\.css$/), files };
  writeFileSync(join(making, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(making, "LICENSES.txt"), licencesOf(Object.keys(metafile.inputs)));
  rmSync(folder, { recursive: true, force: true });
  renameSync(making, folder);
  return metafile;
};

/**
 * The packages that are inside of the page, with their licences.
 * @param {readonly string[]} inputs
 */
const licencesOf = (inputs) => {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(root, folder, "package.json"), "utf8"),
      );
      const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? "" : readFileSync(join(root, folder, file), "utf8").trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .sort()
    .join(`\n${"-".repeat(72)}\n\n`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildApp(join(root, "dist/assets"));
