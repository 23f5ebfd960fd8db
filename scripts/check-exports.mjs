// Packs every public package as it would be published and checks the tarball:
// publint reads its manifest and files, attw resolves its types the way consumers do, and what its README links to in
// the package is there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildable, packages, pnpm, rootDir, run } from "./workspace.mjs";

const bin = (/** @type {string} */ name) => join(rootDir, "node_modules/.bin", name);

/** @param {string} tarball @param {string} path */
const missingDocuments = (tarball, path) => {
  const packed = spawnSync("tar", ["-tzf", tarball], { encoding: "utf8" }).stdout.split("\n");
  const readme = readFileSync(join(path, "README.md"), "utf8");
  const links = readme.matchAll(/\]\((?!https?:|#|\.\.\/)([^)#\s]+)/g);
  return [...links].map(([, link]) => link).filter((link) => !packed.includes(`package/${link}`));
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
    const missing = missingDocuments(join(folder, tarball), path);
    for (const link of missing) console.log(`  README.md links to ${link}, which is not packed`);
    const isGood = published && typed && missing.length === 0;
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
