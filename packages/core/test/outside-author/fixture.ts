// A project of another author: a folder outside the workspace, with the packed tarballs of `queuert` and `@queuert/torture`
// installed in it.
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const coreDir = fileURLToPath(new URL("../..", import.meta.url));
const rootDir = join(coreDir, "../..");

export interface Ran {
  readonly status: number | null;
  readonly output: string;
}

const run = (command: string, args: readonly string[], cwd: string, env = {}): Ran => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...env },
  });
  return { status, output: `${stdout}${stderr}${error === undefined ? "" : error.message}` };
};

const mustRun = (...args: Parameters<typeof run>): void => {
  const { status, output } = run(...args);
  if (status !== 0) throw new Error(`${args[0]} ${args[1].join(" ")} failed:\n${output}`);
};

const tsc = join(rootDir, "node_modules/typescript-7/bin/tsc");

/** Whichever pnpm runs these tests, or the pinned one. */
const pnpm = (): readonly [command: string, args: readonly string[]] => {
  const path = process.env["npm_execpath"] ?? "";
  if (/pnpm[^/\\]*\.c?js$/.test(path)) return [process.execPath, [path]];
  const { packageManager } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as {
    packageManager: string;
  };
  return ["npx", ["--yes", packageManager.split("+")[0] ?? "pnpm"]];
};

const packed = ["core", "torture"] as const;

const pack = (into: string): readonly string[] => {
  const folders = packed.map((name) => join(rootDir, "packages", name));
  mustRun(process.execPath, [tsc, "-b", ...folders], rootDir);
  mustRun(process.execPath, [join(rootDir, "scripts/bundle.mjs"), ...packed], rootDir);
  const [command, args] = pnpm();
  for (const folder of folders) {
    mustRun(command, [...args, "pack", "--pack-destination", into], folder);
  }
  const tarballs = readdirSync(into).filter((name) => name.endsWith(".tgz"));
  if (tarballs.length !== packed.length) throw new Error("pnpm pack made too few tarballs");
  return tarballs.map((name) => join(into, name));
};

/** The other dependencies of the project, from this workspace. */
const link = (project: string, name: string): void => {
  const target = join(project, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(coreDir, "node_modules", name), target);
};

export interface OutsideProject {
  /** Runs its tests with its own Vitest; the variables are for its adapter. */
  readonly test: (variables?: Readonly<Record<string, string>>, args?: readonly string[]) => Ran;
  readonly typecheck: () => Ran;
  readonly remove: () => void;
}

/** Packs, installs, and writes the files of the project. */
export const createOutsideProject = (files: Readonly<Record<string, string>>): OutsideProject => {
  const project = mkdtempSync(join(tmpdir(), "queuert-outside-"));
  const tarballs = join(project, "packed");
  mkdirSync(tarballs);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "outside", version: "1.0.0", private: true, type: "module" }),
  );
  const flags = ["--offline", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"];
  mustRun("npm", ["install", ...flags, ...pack(tarballs)], project);
  for (const name of ["vitest", "fast-check", "@types/node"]) link(project, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);

  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  // Vitest tells its children that they are its children; this one is not.
  const apart = { VITEST: undefined, VITEST_POOL_ID: undefined, VITEST_WORKER_ID: undefined };
  return {
    test: (variables = {}, args = []) =>
      run(process.execPath, [vitest, "run", "--root", project, ...args], project, {
        ...apart,
        ...variables,
      }),
    typecheck: () => run(process.execPath, [tsc, "-p", project], project),
    remove: () => rmSync(project, { recursive: true, force: true }),
  };
};
