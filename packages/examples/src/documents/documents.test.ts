// Every TypeScript block of every README compiles and runs as printed. RECIPES.md and MIGRATING.md: see recipes.test.ts.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  providedMongodb,
  providedNats,
  providedPostgres,
  providedRedis,
} from "@queuert/test-services/provided";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeBinary } from "../../../../scripts/runtime-binary.mjs";
import { type Document, blocksOf, programOf, rootDir, writeProgram } from "./program.ts";

const inProcess = `
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
const stateAdapter = createInProcessStateAdapter();
const jobTypeDefinitions = defineUnionJobTypes<{ greet: { input: string; output: null } }>();
`;

const postgresTables = `
import { Client } from "pg";
const setUp = new Client();
await setUp.connect();
await setUp.query("CREATE TABLE users (email text); CREATE TABLE orders (id int)");
await setUp.end();
`;

const documents: readonly Document[] = [
  { path: "README.md", package: "examples" },
  { path: "packages/core/README.md", package: "examples", before: postgresTables },
  { path: "packages/core/docs/versions.md", package: "core" },
  { path: "packages/core/docs/payloads.md", package: "core" },
  { path: "packages/core/docs/testing.md", package: "sqlite" },
  { path: "packages/core/docs/serverless.md", package: "core" },
  ...["transactions", "retries", "chains", "blockers", "schedules", "deduplication"].map(
    (name) => ({
      path: `packages/docs/pages/${name}.md`,
      package: "examples",
    }),
  ),
  { path: "packages/postgres/README.md", package: "postgres" },
  { path: "packages/postgres/docs/drizzle.md", package: "postgres" },
  { path: "packages/postgres/docs/knex.md", package: "postgres" },
  { path: "packages/postgres/docs/kysely.md", package: "postgres" },
  { path: "packages/postgres/docs/mikro-orm.md", package: "postgres" },
  {
    path: "packages/postgres/docs/prisma.md",
    package: "postgres",
    before: postgresTables,
    prismaModels: 'model User { \n email String @id \n @@map("users") \n }',
  },
  { path: "packages/postgres/docs/typeorm.md", package: "postgres" },
  { path: "packages/postgres/docs/bun.md", package: "postgres", runtime: "bun" },
  {
    path: "packages/sqlite/README.md",
    package: "sqlite",
    before: `
import Database from "better-sqlite3";
new Database("app.db").exec("PRAGMA journal_mode = WAL; CREATE TABLE user (name text)").close();
`,
  },
  { path: "packages/sqlite/docs/drizzle.md", package: "sqlite" },
  { path: "packages/sqlite/docs/kysely.md", package: "sqlite" },
  { path: "packages/sqlite/docs/bun.md", package: "sqlite", runtime: "bun" },
  {
    path: "packages/mongodb/README.md",
    package: "mongodb",
    addresses: { "mongodb://localhost:27017/?replicaSet=rs0": "MONGODB_URL" },
  },
  {
    path: "packages/mongodb/docs/mongoose.md",
    package: "mongodb",
    addresses: { "mongodb://localhost:27017/app?replicaSet=rs0": "MONGODB_URL" },
  },
  {
    path: "packages/redis/README.md",
    package: "redis",
    before: inProcess,
    addresses: { "redis://localhost:6379": "REDIS_URL" },
  },
  {
    path: "packages/nats/README.md",
    package: "nats",
    before: inProcess,
    addresses: { "localhost:4222": "NATS_URL" },
  },
  { path: "packages/otel/README.md", package: "otel", before: inProcess },
];

const compileMs = 120_000;

/** As the pages use them. The types of Bun itself would be types of every page. */
const bunTypes = `
declare module "bun" {
  interface Statements { unsafe(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>; }
  interface TransactionSQL extends Statements { savepoint<T>(callback: (sql: Statements) => Promise<T>): Promise<T>; }
  class SQL implements Statements {
    constructor(url: string, options?: { max?: number });
    readonly options: { max?: number };
    unsafe: Statements["unsafe"];
    begin<T>(options: string, callback: (tx: TransactionSQL) => Promise<T>): Promise<T>;
  }
}
declare module "bun:sqlite" {
  type Value = string | number | bigint | null | Uint8Array;
  interface Statement {
    run(...values: Value[]): { changes: number; lastInsertRowid: number | bigint };
    values(...values: Value[]): Value[][];
    readonly columnNames: string[];
  }
  class Database {
    constructor(filename?: string, options?: { readonly?: boolean; create?: boolean; readwrite?: boolean });
    prepare(sql: string): Statement;
    exec(sql: string): unknown;
    close(): void;
    readonly filename: string;
    readonly inTransaction: boolean;
  }
}
`;

const bunPath = (): string => {
  const bun = runtimeBinary("bun");
  if (bun === undefined) throw new Error("Bun could not be installed from npm");
  return bun.path;
};

const isNode20 = process.versions.node.startsWith("20.");
/** The workspace compiles better-sqlite3 12 for Node 20. Newer Nodes get the alias of version 13 in its place. */
const hook = `export const resolve = (name, context, next) =>
  next(name === "better-sqlite3" ? "better-sqlite3-node22" : name, context);`;
const encoded = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const newerSqlite = encoded(
  `import { register } from "node:module"; register(${JSON.stringify(encoded(hook))});`,
);

describe("the pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-documents-"));
  const files = new Map<string, string>();

  // Prisma's command line comes from npm.
  const installMs = 300_000;
  beforeAll(() => {
    for (const document of documents) files.set(document.path, writeProgram(document));
  }, installMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("are all the READMEs of public packages that print code", () => {
    const listed = documents.map(({ path }) => path);
    const packages = ["core", "postgres", "sqlite", "mongodb", "redis", "nats", "otel"];
    const printing = packages
      .map((name) => `packages/${name}/README.md`)
      .filter((path) => blocksOf(readFileSync(join(rootDir, path), "utf8")).length > 0);
    expect(printing.filter((path) => !listed.includes(path))).toEqual([]);
  });

  it("compile", { timeout: compileMs }, () => {
    const config = join(rootDir, "packages/examples/build/documents/tsconfig.json");
    const base = join(rootDir, "tsconfig.test.base.json");
    const declarations = join(rootDir, "packages/examples/build/documents/bun.d.ts");
    writeFileSync(declarations, bunTypes);
    const skipLibCheck = { skipLibCheck: true, types: ["node"] };
    writeFileSync(
      config,
      JSON.stringify({
        extends: base,
        compilerOptions: skipLibCheck,
        files: [declarations, ...files.values()],
      }),
    );
    const tsc = join(rootDir, "node_modules/typescript-7/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it.each(documents)("$path runs", { timeout: 60_000 }, async ({ path, runtime }) => {
    const database = await providedPostgres().createDatabase();
    const { hostname, port, username, password } = new URL(database.url);
    const tsx = join(rootDir, "node_modules/tsx/dist/loader.mjs");
    const newer = isNode20 ? [] : ["--import", newerSqlite];
    const imports = runtime === undefined ? ["--import", tsx, ...newer] : [];
    const args = ["--conditions=@queuert/source", ...imports, files.get(path) ?? ""];
    const child = spawn(runtime === undefined ? process.execPath : bunPath(), args, {
      cwd: folder,
      env: {
        ...process.env,
        ...{ DATABASE_URL: database.url, PGHOST: decodeURIComponent(hostname), PGPORT: port },
        ...{ PGUSER: username, PGPASSWORD: password, PGDATABASE: database.name },
        ...{ MONGODB_URL: providedMongodb().url, REDIS_URL: providedRedis().url },
        NATS_URL: providedNats().url,
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, "exit")) as [number | null];
    await database.drop();
    expect(code, output).toBe(0);
    expect(output).toContain("the end");
  });
});

describe("a program of blocks", () => {
  it("writes an import once, and lets a later block use names again", () => {
    const one = 'import { a, b } from "x";\nconst c = a(b);\n';
    const two = 'import { b } from "x";\nconst c = b();\n';
    const program = programOf([one, two]);
    expect(program.match(/import \{ b \}/g)).toHaveLength(1);
    expect(program.match(/const c/g)).toHaveLength(2);
  });
});
