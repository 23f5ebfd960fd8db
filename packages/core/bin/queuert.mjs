#!/usr/bin/env node
// `npx queuert`: finds the command line, which is a package of its own, and runs it. Queuert itself therefore has no dependency.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** @param {string} folder */
const findFrom = (folder) => {
  try {
    return createRequire(join(folder, "noop.js")).resolve("@queuert/cli/main");
  } catch (error) {
    if (Object(error).code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
};

// The project's own, or one that is installed beside this package.
const found = findFrom(process.cwd()) ?? findFrom(import.meta.dirname);
if (found === undefined) {
  process.stderr.write(
    "QUEUERT_CLI_PACKAGE_MISSING: @queuert/cli is not installed in this project. " +
      "Run: npm install --save-dev @queuert/cli\n",
  );
  process.exitCode = 2;
} else {
  await import(pathToFileURL(found).href);
}
