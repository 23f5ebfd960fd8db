// Runs the tests on another Node: `pnpm test:node 22 [arguments of vitest]`.
import { join } from "node:path";
import { nodeBinary, nodeMajors } from "./node-binary.mjs";
import { rootDir, run } from "./workspace.mjs";

const [major = "", ...args] = process.argv.slice(2);
if (!nodeMajors.includes(major)) {
  console.error(`Say which Node: pnpm test:node ${nodeMajors.join(" | ")}`);
  process.exit(2);
}
const binary = nodeBinary(major);
if (binary === undefined) process.exit(1);
console.log(`Node ${binary.version}`);
process.exitCode = run(
  binary.node,
  [
    join(rootDir, "node_modules/vitest/vitest.mjs"),
    ...["run", "--config", "vitest.workspace.ts", ...args],
  ],
  { env: binary.env },
);
