// The common parts of the system's PostgreSQL and the newest one from npm.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type ServiceOptions, uniqueName } from "./options.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, foreignServer, type ServerControl } from "./process/server.ts";
import { unprivileged } from "./process/unprivileged.ts";

export type PostgresDatabase = {
  readonly url: string;
  readonly name: string;
  /** Ends the connections to it and removes it. */
  readonly drop: () => Promise<void>;
};

export type PostgresDatabases = {
  readonly url: string;
  /** A new database, empty or a copy of `template`. */
  readonly createDatabase: (options?: { template?: string }) => Promise<PostgresDatabase>;
};

export type PostgresService = ServerControl & PostgresDatabases & { readonly port: number };

export type PostgresOptions = ServiceOptions & {
  /** Server settings, such as `{ deadlock_timeout: "100ms" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** For the data, such as a file system of its own. Default: a temporary folder. */
  readonly dataFolder?: string;
  /** Where it runs, if not on this host's loopback. */
  readonly network?: { readonly host: string; readonly prefix: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
};

const toEnv = (environment: PostgresOptions["environment"]): readonly string[] =>
  environment === undefined
    ? []
    : ["env", ...Object.entries(environment).map(([key, value]) => `${key}=${value}`)];

const loopback = { host: "127.0.0.1", prefix: [] };

const fastSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

export const queryOnce = async (url: string, text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A server that goes away while we close is reported by the query, not by an event.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
};

export const postgresDatabases = (url: string): PostgresDatabases => ({
  url,
  createDatabase: async ({ template } = {}) => {
    const name = uniqueName();
    await queryOnce(url, `CREATE DATABASE ${name}${template ? ` TEMPLATE "${template}"` : ""}`);
    const databaseUrl = new URL(url);
    databaseUrl.pathname = `/${name}`;
    return {
      url: databaseUrl.href,
      name,
      drop: () => queryOnce(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    };
  },
});

export const foreignPostgres = (url: string): PostgresService => ({
  ...foreignServer("PostgreSQL"),
  ...postgresDatabases(url),
  port: Number(new URL(url).port || 5432),
});

export type PostgresBinaries = {
  readonly initdb: string;
  readonly postgres: string;
};

export const startPostgresServer = async (
  name: string,
  binaries: PostgresBinaries,
  { durability = "fast", settings = {}, dataFolder, network, environment }: PostgresOptions,
): Promise<PostgresService> => {
  const runner = unprivileged(binaries.postgres);
  const folder = createFolder(name, "SIGQUIT");
  const data = dataFolder === undefined ? folder.createInside("data") : join(dataFolder, "data");
  if (dataFolder !== undefined) mkdirSync(data, { mode: 0o700 });
  runner.own(data);
  const initdbFlags = ["-A", "trust", "-U", "postgres", "--no-sync", "--locale=C", "-E", "UTF8"];
  const [initdb = "", ...initdbArgs] = [...runner.prefix, binaries.initdb, "-D", data];
  execFileSync(initdb, [...initdbArgs, ...initdbFlags], { cwd: "/", stdio: "pipe" });

  const port = await freePort();
  const { host, prefix } = network ?? loopback;
  if (network !== undefined) writeFileSync(join(data, "pg_hba.conf"), "host all all all trust\n");
  const allSettings = {
    listen_addresses: host,
    unix_socket_directories: "",
    // Test files that run side by side share one server, and some open 40 connections a case.
    max_connections: "600",
    ...(durability === "fast" ? fastSettings : {}),
    ...settings,
  };
  const url = `postgres://postgres@${host}:${port}/postgres`;
  const server = createServer({
    ...{ name, folder, data },
    command: [
      // Set by its own user: a library shares memory with the processes of one user only.
      ...[
        ...prefix,
        ...runner.prefix,
        ...toEnv(environment),
        binaries.postgres,
        "-D",
        data,
        "-p",
        String(port),
      ],
      ...Object.entries(allSettings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    ],
    // Fast shutdown: ends sessions, writes the checkpoint that a restart needs.
    stopSignal: "SIGINT",
    ping: () => queryOnce(url, "SELECT 1"),
  });
  await server.start();
  return { ...server, ...postgresDatabases(url), port };
};
