// A copy of the package as the next version might be: a column more, a routine with another signature, and a routine with
// another body.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

const migration = `export const addProgress = {
  name: "9999-add-progress",
  sql: ["ALTER TABLE {schema}.job ADD COLUMN progress text"],
} as const;
`;

type Edit = readonly [file: string, before: string | RegExp, after: string];

const edits: readonly Edit[] = [
  [
    "migrations/index.ts",
    "import type",
    'import { addProgress } from "./9999-add-progress.ts";\nimport type',
  ],
  ["migrations/index.ts", /= \[(createStore[^\]]*)\]/, "= [$1, addProgress]"],
  ["migrations/index.ts", "routinesVersion = 1", "routinesVersion = 2"],
  [
    "job-row.ts",
    '{ name: "type_name", kind: "plain" }',
    '{ name: "progress", kind: "plain" },\n  { name: "type_name", kind: "plain" }',
  ],
  // The column is written by a new body of a routine that keeps its name.
  [
    "routines/complete-jobs.ts",
    /status = 'completed', output/g,
    "status = 'completed', progress = 'done', output",
  ],
  [
    "routines/complete-job.ts",
    "status = 'completed', output",
    "status = 'completed', progress = 'done', output",
  ],
  // Another signature and another result, under a new name.
  ["routines/acquire-jobs.ts", /\bacquire_jobs\b/g, "acquire_jobs_2"],
  ["routines/acquire-jobs.ts", "p_horizon_us float8)", "p_horizon_us float8, p_hint text)"],
  [
    "routines/acquire-jobs.ts",
    "trace_context text, rest text)",
    "trace_context text, rest text, hint text)",
  ],
  ["routines/acquire-jobs.ts", /\{job j\}/g, "{job j}, NULL::text"],
  ["routines/acquire-jobs.ts", "END)::text END\n", "END)::text END, p_hint\n"],
  [
    "state/acquire-jobs/acquire-jobs.ts",
    'db.routine("acquire_jobs"',
    'db.routine("acquire_jobs_2"',
  ],
  [
    "state/acquire-jobs/acquire-jobs.ts",
    'horizon_us: "float8",',
    'horizon_us: "float8",\n  hint: "text",',
  ],
  [
    "state/acquire-jobs/acquire-jobs.ts",
    "horizon_us: horizonUs",
    'hint: "h",\n      horizon_us: horizonUs',
  ],
];

/** Returns the folder of the copy and a function that removes it. */
export const copyAsNextVersion = async () => {
  const folder = await mkdtemp(join(tmpdir(), "queuert-next-version-"));
  for (const part of ["src", "test/upgrade", "package.json"]) {
    await cp(join(packageFolder, part), join(folder, part), { recursive: true });
  }
  await symlink(join(packageFolder, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "src/migrations/9999-add-progress.ts"), migration);
  for (const [file, before, after] of edits) {
    const path = join(folder, "src", file);
    const text = await readFile(path, "utf8");
    const edited = text.replace(before, after);
    if (edited === text) throw new Error(`${file} has no "${String(before)}"`);
    await writeFile(path, edited);
  }
  return { folder, remove: () => rm(folder, { recursive: true }) };
};
