// A copy of the package as the next version might be.
import { fileURLToPath } from "node:url";
import {
  copyAsNextVersion as copyPackage,
  type NextVersion,
} from "@queuert/test-services/next-version";
import { knownVersion } from "../../src/migrations/index.ts";

export const packageFolder: string = fileURLToPath(new URL("../..", import.meta.url));

const migration = `export const addProgress = {
  name: "add-progress",
  sql: "ALTER TABLE {prefix}job ADD COLUMN progress TEXT;",
};
`;

/** A column more, which the completions of the next version write. */
export const copyAsNextVersion = (): Promise<NextVersion> =>
  copyPackage(packageFolder, { "migrations/9999-add-progress.ts": migration }, [
    [
      "migrations/index.ts",
      "import type",
      'import { addProgress } from "./9999-add-progress.ts";\nimport type',
    ],
    ["migrations/index.ts", /= \[\s*(createStore[^\]]*?),?\s*\];/, "= [$1, addProgress];"],
    ["migrations/index.ts", /usableFrom = \d+/, `usableFrom = ${knownVersion}`],
    [
      "state/complete-jobs.ts",
      "SET status = 'completed', output",
      "SET status = 'completed', progress = 'done', output",
    ],
  ]);
