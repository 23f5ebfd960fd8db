// Typechecks everything with TypeScript 7: first the build of the public packages (declarations
// included), then sources with their tests, straight from source.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildable, packages, rootDir, tsc7 } from "./workspace.mjs";

const projects = packages()
  .filter(({ path, hasSource }) => hasSource || existsSync(join(path, "test")))
  .map(({ path, isPublic }) => join(path, isPublic ? "tsconfig.test.json" : "tsconfig.json"));

// A page for browsers has the types of browsers.
const pages = packages()
  .map(({ path }) => join(path, "app/tsconfig.json"))
  .filter((path) => existsSync(path));

let failed = tsc7(["-b", ...buildable().map(({ path }) => path)]) !== 0;
for (const project of [...projects, ...pages, join(rootDir, "scripts/tsconfig.json")])
  failed = tsc7(["-p", project]) !== 0 || failed;
process.exitCode = failed ? 1 : 0;
