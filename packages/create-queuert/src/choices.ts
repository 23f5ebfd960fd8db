// The questions, and which answers go together.

export const stores = ["sqlite", "postgres", "mongodb"] as const;
export type Store = (typeof stores)[number];

export const frameworks = ["none", "nestjs", "next", "fastify", "express", "hono"] as const;
export type Framework = (typeof frameworks)[number];

/** A driver or an ORM: `--client drizzle`. `folder` is that of its templates. */
interface Client {
  readonly name: string;
  readonly folder: string;
  /** With the versions of `dependencies.ts`. */
  readonly packages: readonly string[];
  readonly devPackages: readonly string[];
}

const plain = (name: string, packages: readonly string[], devPackages: readonly string[] = []) => ({
  name,
  folder: name,
  packages,
  devPackages,
});

const sqlite = ["queuert", "@queuert/sqlite"];
const betterSqlite3 = [...sqlite, "better-sqlite3"];
const betterSqlite3Types = ["@types/better-sqlite3"];
const postgres = ["queuert", "@queuert/postgres"];
const prisma = ["@prisma/adapter-pg", "@prisma/client"];
const mongodb = ["queuert", "@queuert/mongodb"];

/** The first of each store is its default. */
export const clients: Readonly<Record<Store, readonly Client[]>> = {
  sqlite: [
    plain("better-sqlite3", betterSqlite3, betterSqlite3Types),
    plain("node-sqlite", sqlite),
    {
      name: "drizzle",
      folder: "sqlite-drizzle",
      packages: [...betterSqlite3, "drizzle-orm"],
      devPackages: betterSqlite3Types,
    },
    {
      name: "kysely",
      folder: "sqlite-kysely",
      packages: [...betterSqlite3, "kysely"],
      devPackages: betterSqlite3Types,
    },
  ],
  postgres: [
    plain("pg", [...postgres, "pg"], ["@types/pg"]),
    plain("postgres-js", [...postgres, "postgres"]),
    plain("drizzle", [...postgres, "drizzle-orm", "pg"], ["@types/pg"]),
    plain("kysely", [...postgres, "kysely", "pg"], ["@types/pg"]),
    plain("prisma", [...postgres, ...prisma, "pg"], ["@types/pg", "prisma"]),
    plain("knex", [...postgres, "knex", "pg"], ["@types/pg"]),
    plain("typeorm", [...postgres, "typeorm", "pg"], ["@types/pg"]),
    plain("mikro-orm", [...postgres, "@mikro-orm/core", "@mikro-orm/postgresql"]),
  ],
  mongodb: [plain("mongodb", [...mongodb, "mongodb"]), plain("mongoose", [...mongodb, "mongoose"])],
};

interface Server {
  readonly packages: readonly string[];
  readonly devPackages: readonly string[];
  /** The script `dev` of the project. */
  readonly dev: string | undefined;
}

const runServer = "tsx server.ts";

export const servers: Readonly<Record<Framework, Server>> = {
  none: { packages: [], devPackages: [], dev: undefined },
  nestjs: {
    packages: [
      "@queuert/nestjs",
      "@nestjs/common",
      "@nestjs/core",
      "@nestjs/platform-express",
      "reflect-metadata",
      "rxjs",
    ],
    devPackages: [],
    dev: runServer,
  },
  next: {
    packages: ["next", "react", "react-dom"],
    devPackages: ["@types/react"],
    dev: "next dev",
  },
  fastify: { packages: ["fastify"], devPackages: [], dev: runServer },
  express: { packages: ["express"], devPackages: ["@types/express"], dev: runServer },
  hono: { packages: ["hono", "@hono/node-server"], devPackages: [], dev: runServer },
};

/** All that is known about a project before it is written. */
export interface Choices {
  readonly store: Store;
  readonly client: Client;
  readonly framework: Framework;
}

const oneOf = <T extends string>(option: string, value: string, values: readonly T[]): T => {
  const found = values.find((each) => each === value);
  if (found !== undefined) return found;
  throw new UsageError(`${option} is "${value}": give one of ${values.join(", ")}.`);
};

/** A wrong call. Nothing was written. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The choices, by their names. A client that the store does not have is refused. */
export const chooseBy = (names: {
  readonly store: string;
  readonly client?: string | undefined;
  readonly framework: string;
}): Choices => {
  const store = oneOf("--store", names.store, stores);
  const known = clients[store];
  const [first] = known;
  const name = oneOf(
    "--client",
    names.client ?? first?.name ?? "",
    known.map((client) => client.name),
  );
  const client = known.find((each) => each.name === name);
  if (client === undefined) throw new UsageError(`--client is "${name}".`);
  return { store, client, framework: oneOf("--framework", names.framework, frameworks) };
};
