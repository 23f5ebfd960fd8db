// A copy of the package as the next version might be.
import { fileURLToPath } from "node:url";
import {
  copyAsNextVersion as copyPackage,
  type NextVersion,
} from "@queuert/test-services/next-version";
import { migrations } from "../../src/migrations/index.ts";

export const packageFolder: string = fileURLToPath(new URL("../..", import.meta.url));

const migration = `export const addProgress = {
  version: ${migrations.length + 1},
  name: "add-progress",
  collections: { jobs: [{ name: "progress", key: { progress: 1 } }] },
} as const;
`;

/** An index and a field more, which the completions of the next version write. */
export const copyAsNextVersion = (): Promise<NextVersion> =>
  copyPackage(packageFolder, { "migrations/9999-add-progress.ts": migration }, [
    [
      "migrations/index.ts",
      "import { createStore }",
      'import { addProgress } from "./9999-add-progress.ts";\nimport { createStore }',
    ],
    ["migrations/index.ts", /= \[\s*(createStore[^\]]*?),?\s*\];/, "= [$1, addProgress];"],
    [
      "state/write-completions.ts",
      /status: "completed",\n/g,
      'status: "completed",\n    progress: "done",\n',
    ],
  ]);
