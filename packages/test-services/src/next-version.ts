// A copy of a package as its next version might be, and processes of both versions, as during a deployment.
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const workspace = fileURLToPath(new URL("../../..", import.meta.url));

/** A change of a file below `src`. */
export type VersionEdit = readonly [file: string, before: string | RegExp, after: string];

export type NextVersion = {
  readonly folder: string;
  readonly remove: () => Promise<void>;
};

/** Copies a package with its tests of upgrades. The edits must each change something. */
export const copyAsNextVersion = async (
  packageFolder: string,
  newFiles: Readonly<Record<string, string>>,
  edits: readonly VersionEdit[],
): Promise<NextVersion> => {
  const folder = await mkdtemp(join(tmpdir(), "queuert-next-version-"));
  for (const part of ["src", "test/upgrade", "package.json"]) {
    await cp(join(packageFolder, part), join(folder, part), { recursive: true });
  }
  await symlink(join(packageFolder, "node_modules"), join(folder, "node_modules"));
  for (const [file, text] of Object.entries(newFiles)) {
    await writeFile(join(folder, "src", file), text);
  }
  for (const [file, before, after] of edits) {
    const path = join(folder, "src", file);
    const text = await readFile(path, "utf8");
    const edited = text.replace(before, after);
    if (edited === text) throw new Error(`${file} has no "${String(before)}"`);
    await writeFile(path, edited);
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
};

export type VersionProcess<TReport> = {
  /** The next line that the process has printed. */
  readonly next: () => Promise<TReport>;
  /** Lets the process finish its jobs, and report. */
  readonly end: () => void;
};

/** Starts `test/upgrade/version-process.ts` of a version, or of its copy. */
export const startVersion = <TReport>(
  packageFolder: string,
  args: readonly string[],
): VersionProcess<TReport> => {
  const file = join(packageFolder, "test/upgrade/version-process.ts");
  const command = ["--conditions=@queuert/source", "--import", "tsx", file, ...args];
  const child = spawn(process.execPath, command, {
    cwd: workspace,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${args.join(" ")} ended without a report`);
      return JSON.parse(String(value)) as TReport;
    },
    end: () => child.stdin.end(),
  };
};
