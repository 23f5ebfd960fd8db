// Runs the suites of the contract in Bun or Deno: `pnpm test:runtime bun | deno [arguments of vitest]`. With `--quick`: one
// run of each store's suites, as part of `pnpm check`.
import { join } from "node:path";
import { runtimeBinary, runtimeNames } from "./runtime-binary.mjs";
import { rootDir, run } from "./workspace.mjs";

const [name = "", ...given] = process.argv.slice(2);
if (!runtimeNames.includes(name)) {
  console.error(`Say which runtime: pnpm test:runtime ${runtimeNames.join(" | ")}`);
  process.exit(2);
}
const runtime = runtimeBinary(name);
if (runtime === undefined) process.exit(1);
console.log(`${name} ${runtime.version}`);

const projects = ["core", "postgres", "sqlite"];
// From the folder of a project.
const quick = [
  "test/suites/state-in-process",
  "test/worker/",
  "test/orms/bun.test",
  "test/bun.test",
];
const all = [
  ...quick,
  "test/suites/operator-in-process",
  "test/behaviour/in-process.test",
  "test/state-adapter.test",
  "test/behaviour.test",
  "test/one-writer.test",
  "test/state-adapter.pg.test",
  "test/state-adapter.postgres-js.test",
  "test/behaviour/pg-on-postgres.test",
  "test/orms/faults.test",
];
const isQuick = given.includes("--quick");
const own = given.filter((argument) => argument !== "--quick");
const patterns = own.length > 0 ? own : isQuick ? quick : all;

const conditions = "--conditions=@queuert/source";
const before = name === "bun" ? ["--bun", conditions] : ["run", "-A", conditions];
process.exitCode = run(
  runtime.path,
  [
    ...before,
    join(rootDir, "node_modules/vitest/vitest.mjs"),
    ...["run", "--config", "vitest.workspace.ts"],
    ...projects.flatMap((project) => ["--project", project]),
    ...patterns,
  ],
  { env: { ...process.env, CI: "1" } },
);
