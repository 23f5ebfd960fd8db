// How large each export of the built packages is, and how long a new process works to import it: `pnpm build`, then
// `pnpm import-cost [rounds]`. The size is that of its file and of the files of its package that it loads. The time includes
// drivers and other packages that the export loads.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadedAtImport } from "./loaded-at-import.mjs";
import { buildable, readJson } from "./workspace.mjs";

const rounds = Number(process.argv[2] ?? 9);
// Of the processor, which other load on the machine changes least.
const program = `const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1_000);`;

/** @param {string} file */
const msOf = (file) => {
  const args = ["--input-type=module", "-e", program, pathToFileURL(file).href];
  const times = Array.from({ length: rounds }, () =>
    Number(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout),
  ).sort((a, b) => a - b);
  return `${times[rounds >> 1]?.toFixed(0)} | ${times[0]?.toFixed(0)} to ${times.at(-1)?.toFixed(0)}`;
};

console.log("| import | kB | ms, median | lowest to highest |\n|---|---:|---:|---|");
for (const { path, name } of buildable()) {
  for (const [key, target] of Object.entries(readJson(join(path, "package.json")).exports)) {
    if (typeof target === "string" || /testing|main/.test(key)) continue;
    const file = join(path, target.default);
    const kilobytes = (loadedAtImport(file).bytes / 1_000).toFixed(0);
    console.log(`| \`${join(name, key)}\` | ${kilobytes} | ${msOf(file)} |`);
  }
}
