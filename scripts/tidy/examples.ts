// The examples of exported functions. Each is compiled in its package, with the imports that it leaves out.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { exportedNames, parseSources } from "./exports.ts";
import type { File } from "./files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

type Example = {
  /** The name of the function, and its place: for the message. */
  readonly name: string;
  readonly path: string;
  readonly code: string;
  /** The imports of all public names, for this package. */
  readonly imports: ReadonlyMap<string, string>;
};

/** Names of drivers that examples use without an import. */
const drivers: Readonly<Record<string, string>> = {
  Database: 'import Database from "better-sqlite3";',
  DataSource: 'import { DataSource } from "typeorm";',
  EntitySchema: 'import { EntitySchema } from "@mikro-orm/postgresql";',
  Kysely: 'import { Kysely } from "kysely";',
  MikroORM: 'import { MikroORM } from "@mikro-orm/postgresql";',
  MongoClient: 'import { MongoClient } from "mongodb";',
  PGlite: 'import { PGlite } from "@electric-sql/pglite";',
  PostgresDialect: 'import { PostgresDialect } from "kysely";',
  Redis: 'import { Redis } from "ioredis";',
  // Of Bun, whose types would be types of all code.
  SQL: "declare const SQL: new (url: string, options: object) => Parameters<typeof createBunSqlStateProvider>[0];",
  SqliteDialect: 'import { SqliteDialect } from "kysely";',
  connect: 'import { connect } from "@nats-io/transport-node";',
  createClient: 'import { createClient } from "redis";',
  createKnex: 'import createKnex from "knex";',
  createServer: 'import { createServer } from "node:http";',
  mongoose: 'import mongoose from "mongoose";',
  pg: 'import pg from "pg";',
  postgres: 'import postgres from "postgres";',
  randomBytes: 'import { randomBytes } from "node:crypto";',
  z: 'import { z } from "zod";',
};

/** Names of an application, each before those that use it. */
const application: Readonly<Record<string, string>> = {
  pool: "const pool = new pg.Pool();",
  jobTypes: "const jobTypes = defineUnionJobTypes<{ report: { input: null; output: null } }>();",
  stateAdapter: "const stateAdapter = createInProcessStateAdapter();",
  queuert: "const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions: jobTypes });",
  worker: "const worker = queuert.createWorker();",
  createReportWorker: `const createReportWorker = (client: typeof queuert) =>
  client.createWorker().implementJobType({
    typeName: "report",
    process: async ({ complete }) => complete(null),
  });`,
  dashboard: "const dashboard = createDashboard({ queuert, authorize: async () => null });",
  stateProvider: 'const stateProvider = await createBetterSqlite3Provider({ filename: "app.db" });',
  test: "const test = await createTestQueuert({ jobTypeDefinitions: jobTypes });",
  prisma: "declare const prisma: Parameters<typeof createPrismaStateProvider>[0];",
  isMine: "const isMine = (error: unknown) => error instanceof RangeError;",
  isReady: "const isReady = async () => true;",
  pages: "const pages = [1, 2];",
  print: "const print = async (page: number) => console.log(page);",
  typeName: 'const typeName = "report";',
};

/** `drizzle` is that of the store. */
const drizzleOf = (path: string): string =>
  `import { drizzle } from "drizzle-orm/${path.includes("/sqlite/") ? "better-sqlite3" : "node-postgres"}";`;

type Manifest = { readonly name?: string; readonly exports?: Readonly<Record<string, unknown>> };

const specifiersOf = (file: File): { specifier: string; entry: string }[] => {
  const { name = "", exports = {} } = JSON.parse(file.text) as Manifest;
  return Object.entries(exports).flatMap(([subpath, target]) => {
    const source = Object(target)["@queuert/source"] as string | undefined;
    if (source === undefined || /testing|internal|main/.test(subpath)) return [];
    const entry = posix.join(posix.dirname(file.path), source);
    return [{ specifier: posix.join(name, subpath), entry }];
  });
};

/** The examples of all packages. */
export const examplesOf = (manifests: readonly File[], files: readonly File[]): Example[] => {
  const sources = parseSources(files);
  const all = manifests
    .flatMap(specifiersOf)
    .flatMap(({ specifier, entry }) =>
      exportedNames(entry, sources).map((exported) => ({ specifier, entry, exported })),
    );
  return all.flatMap(({ specifier, entry, exported }) => {
    if (exported.examples.length === 0) return [];
    const folder = packageOf(entry);
    const imports = new Map(all.map((each) => [each.exported.name, each.specifier]));
    // The own package's name wins, and the own entry point's above all.
    for (const each of all) {
      if (packageOf(each.entry) === folder) imports.set(each.exported.name, each.specifier);
    }
    for (const each of all) if (each.entry === entry) imports.set(each.exported.name, specifier);
    const { name, path } = exported;
    return exported.examples.map((code) => ({ name, path, code, imports }));
  });
};

const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/");

/** As a value or a type; not as a property, in a text, or as the key of an object. */
const isUsed = (code: string, name: string): boolean =>
  new RegExp(`(?<![\\w.$"'/-])${name}\\b(?!["']|\\s*:)`).test(code.replaceAll(/\/\/.*$/gm, ""));
const isDeclared = (code: string, name: string): boolean =>
  new RegExp(`(?:const|let|class) (?:${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\} =)`).test(code);

/** The example with the lines that it leaves out, such as imports. */
const programOf = ({ code, imports, path }: Example): string => {
  const isMissing = (text: string, name: string): boolean =>
    isUsed(text, name) && !isDeclared(text, name);
  // From the last to the first: a line may need one before it.
  const program = Object.entries(application)
    .reverse()
    .reduce((text, [name, line]) => (isMissing(text, name) ? `${line}\n${text}` : text), code);
  const lines = Object.entries({ ...drivers, drizzle: drizzleOf(path) })
    .filter(([name]) => isMissing(program, name))
    .map(([, line]) => line);
  const own = [...imports]
    .filter(([name]) => isMissing(program, name) && !(name in drivers) && !(name in application))
    .map(([name, specifier]) => `import { ${name} } from "${specifier}";`);
  return `${[...lines, ...own].join("\n")}\n${program}\nexport {};\n`;
};

/** Compiles the examples. Returns the messages of the compiler. */
export const exampleProblems = (examples: readonly Example[]): string[] => {
  const folders = new Set(
    examples.map(({ path }) => join(root, packageOf(path), "build/examples")),
  );
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const paths = examples.map((example, index) => {
    const file = `${example.name}-${index}.ts`;
    const path = join(root, packageOf(example.path), "build/examples", file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, programOf(example));
    return path;
  });
  const config = join(root, "packages/core/build/examples/tsconfig.json");
  const base = join(root, "tsconfig.test.base.json");
  const compilerOptions = { verbatimModuleSyntax: false, experimentalDecorators: true };
  writeFileSync(config, JSON.stringify({ extends: base, compilerOptions, files: paths }));
  const tsc = join(root, "node_modules/typescript-7/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], {
    cwd: root,
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line.trim() !== "");
};
