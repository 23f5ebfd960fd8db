// Makes a `node_modules` of packages from their sources. Usage: node scripts/install-sources.mjs <folder> core sqlite
// Each is as it would be published, but without declarations. It takes a second, where packing takes a minute.
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPage, bundleCode } from "./bundle.mjs";
import { packages, readJson } from "./workspace.mjs";

const [folder = "", ...names] = process.argv.slice(2);

for (const { path, name } of packages().filter(({ dir }) => names.includes(dir))) {
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  const { publishConfig, ...manifest } = readJson(join(path, "package.json"));
  const published = { ...manifest, exports: publishConfig.exports };
  writeFileSync(join(target, "package.json"), JSON.stringify(published));
  for (const each of ["bin", "docs", "SKILL.md"])
    if (existsSync(join(path, each)))
      cpSync(join(path, each), join(target, each), { recursive: true });
  await bundleCode(path, join(target, "dist"));
  await buildPage(path, join(target, "dist/assets"));
}
