// Packs `queuert`, the stores, the command line, the dashboard, the tools for agents and `create-queuert`, and installs the tarballs
// into an empty folder. There it runs a program of ten lines, the kit of tests under node:test and Vitest, and each command on each
// store. It opens the dashboard in Chromium, also that of the demo. Last, `npm create queuert` writes a project, whose first job runs
// and whose test passes.
// It needs no network. The drivers are linked from the workspace, where they have been compiled. The other dependencies are packed
// from there.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkCommands, checkCommandsOnServers } from "./smoke-commands.mjs";
import { checkDashboard, checkDemo } from "./smoke-dashboard.mjs";
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

/** The kit of tests, on the packed store: the same case for each runner. */
const openKit = `
import { defineUnionJobTypes } from "queuert";
import { assertStarted, createTestQueuert, queuertMatchers } from "queuert/test";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { createSqliteTimeTravel } from "@queuert/sqlite/test";
const open = async (filename) => {
  const stateProvider = await createBetterSqlite3Provider({ filename });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  const worker = (queuert) => queuert.createWorker().implementJobType({ typeName: "remind", process: ({ complete }) => complete(null) });
  const test = await createTestQueuert({
    jobTypeDefinitions: defineUnionJobTypes(), stateAdapter, timeTravel: createSqliteTimeTravel(stateAdapter), workers: [worker],
  });
  const schedule = { afterMs: 30 * 86_400_000 };
  await test.queuert.startJobSequence({ autocommit: true, typeName: "remind", input: null, schedule });
  return { ...test, close: async () => { await test.close(); await stateProvider.close(); } };
};
`;
const nodeTest = `${openKit}
import assert from "node:assert";
import { it } from "node:test";
it("skips a month", async () => {
  const test = await open("node.db");
  await assertStarted(test, "remind", { scheduledIn: { days: 30 } });
  await assert.rejects(assertStarted(test, "greet"), /Started: remind/);
  assert.equal((await test.drain({ skipTime: { days: 31 } })).completed, 1);
  await test.close();
});
`;
const vitestTest = `${openKit}
import { expect, it } from "vitest";
expect.extend(queuertMatchers);
it("skips a month", async () => {
  const test = await open("vitest.db");
  await expect(test).toHaveStarted("remind", { scheduledIn: { days: 30 }, times: 1 });
  await expect(expect(test).toHaveStarted("greet")).rejects.toThrow("Started: remind");
  expect(await test.drain({ skipTime: { days: 31 } })).toMatchObject({ completed: 1 });
  await test.close();
});
`;

/** Run one after the other in the folder of the program. */
const commands = [
  ["init", "--yes", "--store", "sqlite"],
  ["migrate"],
  ["doctor"],
  ["start", "greet", "--input", '"Ada"'],
  ["status", "--check", "pending=1 failed<1"],
];

const folder = mkdtempSync(join(tmpdir(), "queuert-smoke-"));

/** @param {number} code @param {string} step */
const must = (code, step) => {
  if (code !== 0) throw new Error(`${step} failed with exit code ${code}`);
};

/** The project is inside the folder, so it finds the packages that are installed there. */
const createProject = () => {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  for (const name of ["tsx", "typescript", "@types/node"])
    symlinkSync(join(rootDir, "node_modules", name), join(modules, name));
  symlinkSync(
    join(rootDir, "packages/sqlite/node_modules/@types/better-sqlite3"),
    join(modules, "@types/better-sqlite3"),
  );
  const flags = ["--yes", "--store", "sqlite", "--no-install", "--no-run"];
  const create = ["--no-install", "create-queuert", "jobs", ...flags];
  must(run("npx", create, { cwd: folder }), "create-queuert");
  const project = { cwd: join(folder, "jobs") };
  const tsx = join(modules, "tsx/dist/cli.mjs");
  must(run(process.execPath, [tsx, "jobs/first-job.ts"], project), "the first job");
  must(run(process.execPath, [join(modules, "typescript/bin/tsc")], project), "the types");
  must(run(process.execPath, [tsx, "--test", "jobs/welcome.test.ts"], project), "its test");
  must(run("npx", ["--no-install", "queuert", "status"], project), "the config of the project");
};

const packedPaths = new Set();

/**
 * Packs the dependencies of a folder, and theirs.
 * @param {string} dependant
 */
const packDependencies = (dependant) => {
  const { dependencies = {} } = readJson(join(dependant, "package.json"));
  for (const name of Object.keys(dependencies)) {
    const path = realpathSync(modulePath(dependant, name));
    if (packedPaths.has(path) || name === "queuert" || name.startsWith("@queuert/")) continue;
    packedPaths.add(path);
    // npm 10 ends without a result for some of them.
    const pack = ["pack", "--config.ignore-scripts=true", "--pack-destination", folder];
    must(pnpm(pack, { cwd: path, stdio: "ignore" }), `pack ${name}`);
    packDependencies(path);
  }
};

/**
 * The folder in which Node would find a package.
 * @param {string} from
 * @param {string} name
 * @returns {string}
 */
const modulePath = (from, name) => {
  const path = join(from, "node_modules", name);
  return existsSync(path) ? path : modulePath(dirname(from), name);
};

try {
  must(pnpm(["run", "--silent", "build"]), "build");
  const stores = ["sqlite", "postgres", "mongodb"];
  const packed = ["core", ...stores, "cli", "dashboard", "mcp", "create-queuert"];
  for (const { dir, path } of buildable().filter(({ dir }) => packed.includes(dir)))
    must(
      pnpm(["pack", "--pack-destination", folder], { cwd: path, stdio: "ignore" }),
      `pack ${dir}`,
    );
  for (const dependant of ["cli", "dashboard", "mcp"])
    packDependencies(join(rootDir, "packages", dependant));
  const tarballs = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(folder, "main.js"), program);
  const flags = ["--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  must(
    run("npm", ["install", ...flags, ...tarballs.map((each) => `./${each}`)], { cwd: folder }),
    "install",
  );
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const driver of ["better-sqlite3", "pg", "mongodb"])
    symlinkSync(
      join(rootDir, "packages/cli/node_modules", driver),
      join(folder, "node_modules", driver),
    );
  must(run(process.execPath, ["main.js"], { cwd: folder }), "the program");
  writeFileSync(join(folder, "node.test.js"), nodeTest);
  must(run(process.execPath, ["--test", "node.test.js"], { cwd: folder }), "node:test");
  mkdirSync(join(folder, "vitest"));
  writeFileSync(join(folder, "vitest/kit.test.js"), vitestTest);
  symlinkSync(join(rootDir, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--dir", "vitest"];
  must(run(process.execPath, vitest, { cwd: folder }), "Vitest");
  for (const command of commands)
    must(run("npx", ["--no-install", "queuert", ...command], { cwd: folder }), command.join(" "));
  await checkCommands(folder, "sqlite:commands.db");
  await checkCommandsOnServers(folder);
  await checkDashboard(folder);
  await checkDemo();
  createProject();
  console.log("✓ the packed packages work");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
