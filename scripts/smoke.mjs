// Packs `queuert`, `@queuert/sqlite` and `@queuert/cli`, installs the tarballs into an empty folder, and runs a program of ten
// lines there, and then the command line.
// It needs no network. better-sqlite3 is linked from the workspace, where it has been compiled. The dependencies of the command
// line are packed from there.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildable, pnpm, readJson, rootDir, run } from "./workspace.mjs";

const program = `
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
const stateProvider = await createBetterSqlite3Provider({ filename: "smoke.db" });
const stateAdapter = await createSqliteStateAdapter({ stateProvider });
const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions: defineUnionJobTypes() });
const job = await queuert.transaction((tx) => queuert.startJobSequence({ ...tx, typeName: "greet", input: "Ada" }));
const worker = queuert.createWorker().implementJobType({ typeName: "greet", process: ({ job, complete }) => complete("Hello " + job.input) });
const started = await worker.start();
const { output } = await queuert.waitForJobSequenceCompletion({ id: job.id, typeName: "greet", timeoutMs: 10_000 });
if (output !== "Hello Ada") throw new Error("unexpected output: " + output);
await started.stop();
await stateProvider.close();
`;

/** Run one after the other in the folder of the program. */
const commands = [
  ["init", "--yes", "--store", "sqlite"],
  ["migrate"],
  ["doctor"],
  ["start", "greet", "--input", '"Ada"'],
  ["status", "--check", "pending=1 failed<1"],
];

const cli = join(rootDir, "packages/cli");
const folder = mkdtempSync(join(tmpdir(), "queuert-smoke-"));

/** @param {number} code @param {string} step */
const must = (code, step) => {
  if (code !== 0) throw new Error(`${step} failed with exit code ${code}`);
};

try {
  must(pnpm(["run", "--silent", "build"]), "build");
  const packed = ["core", "sqlite", "cli"];
  for (const { dir, path } of buildable().filter(({ dir }) => packed.includes(dir)))
    must(
      pnpm(["pack", "--pack-destination", folder], { cwd: path, stdio: "ignore" }),
      `pack ${dir}`,
    );
  for (const name of Object.keys(readJson(join(cli, "package.json")).dependencies)) {
    const path = realpathSync(join(cli, "node_modules", name));
    const pack = ["pack", "--ignore-scripts", "--pack-destination", folder];
    must(run("npm", pack, { cwd: path, stdio: "ignore" }), `pack ${name}`);
  }
  const tarballs = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(folder, "main.js"), program);
  const flags = ["--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  must(
    run("npm", ["install", ...flags, ...tarballs.map((each) => `./${each}`)], { cwd: folder }),
    "install",
  );
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(
    join(rootDir, "packages/sqlite/node_modules/better-sqlite3"),
    join(folder, "node_modules/better-sqlite3"),
  );
  must(run(process.execPath, ["main.js"], { cwd: folder }), "the program");
  for (const command of commands)
    must(run("npx", ["--no-install", "queuert", ...command], { cwd: folder }), command.join(" "));
  console.log("✓ the packed packages work");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
