// Runs a TypeScript compiler over generated files, all of them in one program.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fromRoot = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Where generated files import the sources from. */
export const coreFolder: string = fromRoot("packages/core");

export const compilers = {
  "TypeScript 5.9": [fromRoot("node_modules/typescript/lib/tsc.js")],
  // One checker, as 5.9 has: with more of them the counts are those of all, added up.
  "TypeScript 7": [fromRoot("node_modules/typescript-7/bin/tsc"), "--checkers", "1"],
} as const;

export type CompilerName = keyof typeof compilers;

/** The output of the compiler about the files; file names are as given. */
export const compile = async (
  compiler: CompilerName,
  files: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "queuert-types-"));
  try {
    const config = {
      extends: fromRoot("tsconfig.test.base.json"),
      compilerOptions: { typeRoots: [fromRoot("node_modules/@types")] },
      files: Object.keys(files),
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await run([...compilers[compiler], "-p", ".", "--pretty", "false", ...options], folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const run = async (args: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { cwd, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        // A compiler that found mistakes exits with 1 or 2, and has said so on stdout.
        if (error && !/error TS\d+/.test(stdout))
          reject(new Error(stderr || stdout, { cause: error }));
        else resolve(stdout);
      },
    );
  });
