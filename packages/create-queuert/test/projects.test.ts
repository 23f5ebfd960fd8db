// Each project that can be asked for compiles. Its first job runs and its test passes, on the sources and the test services.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { providedMongodb, providedPostgres } from "@queuert/test-services/provided";
import { beforeAll, describe, expect, it } from "vitest";
import { generatePrismaClient } from "../../../scripts/prisma-client.mjs";
import { chooseBy, clients, frameworks, type Store, stores } from "../src/choices.ts";
import { versions } from "../src/dependencies.ts";
import { writeProject } from "../src/write-project.ts";

const rootDir = fileURLToPath(new URL("../../..", import.meta.url));
// Inside this package, where the imports of a project resolve.
const projects = fileURLToPath(new URL("../build/projects", import.meta.url));

const nodeMajor = Number(process.versions.node.split(".")[0]);
/** The workspace compiles better-sqlite3 12 for Node 20. Newer Nodes get the alias of version 13 in its place. */
const hook = `export const resolve = (name, context, next) =>
  next(name === "better-sqlite3" ? "better-sqlite3-node22" : name, context);`;
const encoded = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const newerSqlite = encoded(
  `import { register } from "node:module"; register(${JSON.stringify(encoded(hook))});`,
);

const all = stores.flatMap((store) =>
  clients[store].map(({ name }) => ({ store, client: name, name: `${store}-${name}` })),
);
// Node 20 has no SQLite.
const runnable = all.filter(({ client }) => client !== "node-sqlite" || nodeMajor >= 22);
const served = frameworks
  .filter((framework) => framework !== "none")
  .map((framework) => ({ framework, name: `server-${framework}` }));

beforeAll(() => {
  rmSync(projects, { recursive: true, force: true });
  for (const { store, client, name } of all)
    writeProject(join(projects, name), chooseBy({ store, client, framework: "none" }));
  for (const { framework, name } of served)
    writeProject(join(projects, name), chooseBy({ store: "postgres", framework }));
  generatePrismaClient(join(projects, "postgres-prisma"));
  // Prisma's command line comes from npm.
}, 300_000);

/** The settings of a project, with the sources of this workspace instead of its packages. */
const compile = (
  project: string,
  include: readonly string[],
  exclude: readonly string[],
): string => {
  const path = join(projects, `tsconfig.${project}.json`);
  const compilerOptions = { customConditions: ["@queuert/source"], incremental: false };
  const config = { extends: `./${project}/tsconfig.json`, compilerOptions, include, exclude };
  writeFileSync(path, JSON.stringify(config));
  const tsc = join(rootDir, "node_modules/typescript-7/bin/tsc");
  return spawnSync(process.execPath, [tsc, "-p", path], { encoding: "utf8" }).stdout;
};

describe("the projects", () => {
  it("compile", { timeout: 120_000 }, () => {
    // The settings of Nest are those of the others, with decorators.
    const nodeNext = compile("server-nestjs", ["*/**/*.ts"], ["server-next", "*/node_modules"]);
    expect(nodeNext).toBe("");
    // The packages of Next.js are not in this workspace: `pnpm next-recipe` builds an application with them.
    expect(compile("server-next", ["server-next/**/*.ts"], [])).toBe("");
  });

  const run = async (name: string, program: string, databaseUrl: string): Promise<string> => {
    const tsx = join(rootDir, "node_modules/tsx/dist/loader.mjs");
    const imports = ["--import", tsx, ...(nodeMajor < 22 ? [] : ["--import", newerSqlite])];
    const child = spawn(
      process.execPath,
      ["--conditions=@queuert/source", ...imports, join("jobs", program)],
      { cwd: join(projects, name), env: { ...process.env, DATABASE_URL: databaseUrl } },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code, output).toBe(0);
    return output;
  };

  const databaseOf = async (store: Store): Promise<string> => {
    if (store === "postgres") return (await providedPostgres().createDatabase()).url;
    if (store === "sqlite") return "";
    return (await providedMongodb().createDatabase()).url;
  };

  it.each(runnable)(
    "$name ends with its first job and its test",
    { timeout: 120_000 },
    async ({ store, name }) => {
      const url = await databaseOf(store);
      const first = await run(name, "first-job.ts", url);
      expect(first).toContain("a mail to ada-");
      expect(first).toContain("is completed");
      expect(await run(name, "welcome.test.ts", url)).toMatch(/pass 1\b/);
    },
  );
});

describe("the versions", () => {
  it("are those of this workspace", () => {
    const workspace = readFileSync(join(rootDir, "pnpm-workspace.yaml"), "utf8");
    const catalog = new Map(
      [...workspace.matchAll(/^ {2}"?([@a-z0-9/-]+)"?: (\d\S+)$/gm)].map(([, name, version]) => [
        name,
        version,
      ]),
    );
    expect(catalog.get("pg")).toBeDefined();
    const others = Object.entries(versions).filter(
      ([name, version]) => catalog.has(name) && version.replace("^", "") !== catalog.get(name),
    );
    // The one of newer Nodes is an alias there.
    expect(others.filter(([name]) => name !== "better-sqlite3")).toEqual([]);
  });
});

describe("a wrong call", () => {
  it("names the flag and its values", () => {
    const framework = "none";
    expect(() => chooseBy({ store: "mysql", framework })).toThrow(
      '--store is "mysql": give one of sqlite, postgres, mongodb.',
    );
    expect(() => chooseBy({ store: "sqlite", client: "knex", framework })).toThrow(
      '--client is "knex": give one of better-sqlite3, node-sqlite, drizzle, kysely.',
    );
    expect(() => chooseBy({ store: "sqlite", framework: "koa" })).toThrow("--framework");
  });

  it("leaves a folder with files alone", () => {
    const folder = join(projects, "full");
    const choices = chooseBy({ store: "sqlite", framework: "none" });
    writeProject(folder, choices);
    rmSync(join(folder, "README.md"));
    expect(() => writeProject(folder, choices)).toThrow("is not empty");
    expect(existsSync(join(folder, "README.md"))).toBe(false);
  });

  it("refuses a folder without the tarballs", () => {
    const choices = chooseBy({ store: "sqlite", framework: "none" });
    expect(() => writeProject(join(projects, "none"), choices, projects)).toThrow(
      "--tarballs has no tarball of",
    );
  });
});
