// The texts that `init` writes. A test runs them on each store.

export type StoreKind = "sqlite" | "postgres" | "mongodb";

export const storeKinds: readonly StoreKind[] = ["sqlite", "postgres", "mongodb"];

interface StoreTexts {
  readonly url: string;
  readonly packages: readonly string[];
  readonly imports: readonly string[];
  readonly open: readonly string[];
}

const texts: Readonly<Record<StoreKind, StoreTexts>> = {
  sqlite: {
    url: '"sqlite:app.db"',
    packages: ["queuert", "@queuert/sqlite", "better-sqlite3"],
    imports: [
      'import { createSqliteStateAdapter } from "@queuert/sqlite";',
      'import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";',
    ],
    open: [
      'const stateProvider = await createBetterSqlite3Provider({ filename: "app.db" });',
      "const stateAdapter = await createSqliteStateAdapter({ stateProvider });",
    ],
  },
  postgres: {
    url: 'process.env["DATABASE_URL"] ?? "postgres://localhost:5432/app"',
    packages: ["queuert", "@queuert/postgres", "pg"],
    imports: [
      'import { createPgStateAdapter } from "@queuert/postgres";',
      'import { createPgPoolStateProvider } from "@queuert/postgres/pg";',
      'import pg from "pg";',
    ],
    open: [
      "const pool = new pg.Pool({",
      '  connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost:5432/app",',
      "});",
      "const stateProvider = createPgPoolStateProvider(pool);",
      "const stateAdapter = await createPgStateAdapter({ stateProvider });",
    ],
  },
  mongodb: {
    url: 'process.env["MONGODB_URL"] ?? "mongodb://localhost:27017/app?replicaSet=rs0"',
    packages: ["queuert", "@queuert/mongodb", "mongodb"],
    imports: [
      'import { createMongoStateAdapter } from "@queuert/mongodb";',
      'import { createMongodbProvider } from "@queuert/mongodb/mongodb";',
      'import { MongoClient } from "mongodb";',
    ],
    open: [
      "const client = new MongoClient(",
      '  process.env["MONGODB_URL"] ?? "mongodb://localhost:27017/app?replicaSet=rs0",',
      ");",
      "const stateProvider = createMongodbProvider({ client });",
      "const stateAdapter = await createMongoStateAdapter({ stateProvider });",
    ],
  },
};

export const packagesOf = (store: StoreKind): readonly string[] => [
  ...texts[store].packages,
  "@queuert/cli",
];

export const configText = (
  store: StoreKind,
): string => `import { defineConfig } from "@queuert/cli";

export default defineConfig({
  // The store of the worker.
  url: ${texts[store].url},
});
`;

export const workerText = (store: StoreKind, isTypeScript: boolean): string => {
  const { imports, open } = texts[store];
  const definitions = "{ greet: { input: string; output: string } }";
  return `import { createQueuert, defineUnionJobTypes } from "queuert";
${imports.join("\n")}

${open.join("\n")}
const queuert = await createQueuert({
  stateAdapter,
  jobTypeDefinitions: defineUnionJobTypes${isTypeScript ? `<${definitions}>` : ""}(),
});

const worker = await queuert
  .createWorker()
  .implementJobType({
    typeName: "greet",
    process: ({ job, complete }) => complete(\`Hello \${job.input}\`),
  })
  .start();
console.log("The worker is running; Ctrl-C stops it.");

process.once("SIGINT", async () => {
  await worker.stop();
  process.exit();
});
`;
};
