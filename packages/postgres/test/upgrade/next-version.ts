// A copy of the package as the next version might be: a column more, a routine with another signature, and a routine with
// another body.
import { fileURLToPath } from "node:url";
import {
  copyAsNextVersion as copyPackage,
  type NextVersion,
  type VersionEdit,
} from "@queuert/test-services/next-version";

export const packageFolder: string = fileURLToPath(new URL("../..", import.meta.url));

const migration = `export const addProgress = {
  name: "9999-add-progress",
  sql: ["ALTER TABLE {schema}.job ADD COLUMN progress text"],
} as const;
`;

const edits: readonly VersionEdit[] = [
  [
    "migrations/index.ts",
    "import type",
    'import { addProgress } from "./9999-add-progress.ts";\nimport type',
  ],
  ["migrations/index.ts", /= \[\s*(createStore[^\]]*?),?\s*\]/, "= [$1, addProgress]"],
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
  ["routines/acquire-jobs.ts", "p_batches text)", "p_batches text, p_hint text)"],
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

export const copyAsNextVersion = (): Promise<NextVersion> =>
  copyPackage(packageFolder, { "migrations/9999-add-progress.ts": migration }, edits);
