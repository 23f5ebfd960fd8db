// Builds the packages and runs the benchmarks on Node 24, which the newest peers need: `pnpm bench [--node 20] …`.
import { join } from "node:path";
import { nodeBinary, nodeMajors } from "./node-binary.mjs";
import { rootDir, run } from "./workspace.mjs";

const args = process.argv.slice(2);
const at = args.indexOf("--node");
const major = at === -1 ? "24" : (args[at + 1] ?? "");
if (!nodeMajors.includes(major)) {
  console.error(`--node takes one of ${nodeMajors.join(", ")}`);
  process.exit(2);
}
if (at !== -1) args.splice(at, 2);
const binary = nodeBinary(major);
if (binary === undefined) process.exit(1);

const build = [join(rootDir, "scripts/build.mjs"), "packages/benchmarks/tsconfig.measured.json"];
if (args[0] !== "compare" && run(process.execPath, build) !== 0) process.exit(1);
process.exitCode = run(
  binary.node,
  [
    join(rootDir, "node_modules/tsx/dist/cli.mjs"),
    join(rootDir, "packages/benchmarks/src/main.ts"),
    ...args,
  ],
  { env: binary.env },
);
