// Builds the public packages. Removes earlier output first: a file whose source is gone must not be published.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.mjs";
import { buildable, tsc7 } from "./workspace.mjs";

const targets = buildable();
for (const { path } of targets) rmSync(join(path, "build"), { recursive: true, force: true });
const built = tsc7(["-b", ...targets.map(({ path }) => path)]);
if (built === 0) for (const target of targets) await bundle(target);

// Projects named on the command line are compiled after them.
process.exitCode = process.argv
  .slice(2)
  .reduce((code, project) => (code === 0 ? tsc7(["-p", project]) : code), built);
