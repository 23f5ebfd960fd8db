// Makes a `node_modules` of packages from their sources. Usage: node scripts/install-sources.mjs <folder> core sqlite
// Each is as it would be published, but without declarations. It takes a second, where packing takes a minute.
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleCode } from "./bundle.mjs";
import { packages, readJson } from "./workspace.mjs";

const [folder = "", ...names] = process.argv.slice(2);

for (const { path, name } of packages().filter(({ dir }) => names.includes(dir))) {
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  const { publishConfig, ...manifest } = readJson(join(path, "package.json"));
  const published = { ...manifest, exports: publishConfig.exports };
  writeFileSync(join(target, "package.json"), JSON.stringify(published));
  if (existsSync(join(path, "bin")))
    cpSync(join(path, "bin"), join(target, "bin"), { recursive: true });
  await bundleCode(path, join(target, "dist"));
}
