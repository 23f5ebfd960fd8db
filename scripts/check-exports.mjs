// Packs every public package as it would be published and checks the tarball.
// publint reads its manifest and files. Then attw resolves its types the way consumers do.
// Every link of its documents leads to a file of the tarball or to an address. The tarball stays small.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { loadedAtImport } from "./loaded-at-import.mjs";
import { buildable, packages, pnpm, rootDir, run } from "./workspace.mjs";

const bin = (/** @type {string} */ name) => join(rootDir, "node_modules/.bin", name);

// The suites for authors of adapters are one file with its types, which an application never loads. They have a limit of their own.
const most = { bytes: 1_200_000, suites: 1_100_000, files: 100 };

/** @param {string} tarball @param {readonly string[]} args */
const tar = (tarball, ...args) =>
  spawnSync("tar", [...args, "-f", tarball], { encoding: "utf8", maxBuffer: 64_000_000 }).stdout;

/** @param {string} tarball */
const deadLinks = (tarball) => {
  const packed = tar(tarball, "-tz").trim().split("\n");
  const documents = packed.filter((path) => path.endsWith(".md"));
  return documents.flatMap((document) => {
    const links = tar(tarball, "-xzO", document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g);
    return [...links]
      .filter(([, link = ""]) => !packed.includes(posix.join(posix.dirname(document), link)))
      .map(([, link]) => `${document} links to ${link}, which is not packed`);
  });
};

/** @param {string} tarball */
const tooLarge = (tarball) => {
  const files = tar(tarball, "-tz").trim().split("\n").length;
  const suites = tar(tarball, "-xzO", "--wildcards", "package/dist/testing*").length;
  const bytes = tar(tarball, "-xzO").length - suites;
  const megabytes = (/** @type {number} */ count) => (count / 1_000_000).toFixed(2);
  console.log(
    `  ${files} files, ${megabytes(bytes)} MB unpacked, and ${megabytes(suites)} MB of suites`,
  );
  return files > most.files || bytes > most.bytes || suites > most.suites
    ? [`more than ${most.files} files, ${most.bytes} bytes, or ${most.suites} bytes of suites`]
    : [];
};

/**
 * The compiler of Node takes most of the time that `import "queuert"` takes, then the built-in modules: `node:crypto` alone as
 * long as 100,000 bytes. `pnpm import-cost` measures it.
 */
const atImport = { files: 2, bytes: 360_000, modules: ["node:async_hooks", "node:os"] };

/** @param {string} path */
const slowAtImport = (path) => {
  if (basename(path) !== "core") return [];
  const { bytes, files, modules } = loadedAtImport(join(path, "dist/index.js"));
  const added = modules.filter((name) => !atImport.modules.includes(name));
  console.log(`  imported: ${files.length} files, ${bytes} bytes, ${modules.join(", ")}`);
  return files.length > atImport.files || bytes > atImport.bytes || added.length > 0
    ? [
        `more than ${atImport.files} files, ${atImport.bytes} bytes, or ${atImport.modules.join(", ")}`,
      ]
    : [];
};

/** @param {string} name @param {string} path */
const packAndCheck = (name, path) => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-pack-"));
  try {
    const packed = pnpm(["pack", "--pack-destination", folder], {
      cwd: path,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"));
    if (packed !== 0 || tarball === undefined) return false;
    const published =
      run(bin("publint"), ["--strict", "--level", "warning", join(folder, tarball)]) === 0;
    const attwFlags = ["--profile", "esm-only", "--quiet"];
    const typed = run(bin("attw"), [...attwFlags, join(folder, tarball)]) === 0;
    const wrong = [
      ...deadLinks(join(folder, tarball)),
      ...tooLarge(join(folder, tarball)),
      ...slowAtImport(path),
    ];
    for (const each of wrong) console.log(`  ${each}`);
    const isGood = published && typed && wrong.length === 0;
    console.log(`${isGood ? "✓" : "✗"} ${name}`);
    return isGood;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (pnpm(["run", "--silent", "build"]) !== 0) process.exit(1);
const targets = buildable();
const results = targets.map(({ name, path }) => packAndCheck(name, path));
for (const { name } of packages().filter((each) => each.isPublic && !each.hasSource))
  console.log(`– ${name} has no source yet`);
process.exitCode = results.every(Boolean) && targets.length > 0 ? 0 : 1;
