// The machine and the versions: figures mean nothing without them.
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import { withPgClient } from "../participants/postgres-server.ts";
import { openFile } from "../participants/sqlite-file.ts";
import type { Services } from "../run/services.ts";

/** Facts by name, such as the version of a server. */
export type Facts = Readonly<Record<string, string>>;

const packages: Readonly<Record<string, readonly string[]>> = {
  Drivers: ["pg", "postgres", "better-sqlite3", "mongodb", "ioredis", "@nats-io/transport-node"],
  Peers: [
    ...["graphile-worker", "pg-boss", "bullmq", "@dbos-inc/dbos-sdk", "openworkflow"],
    ...["agenda", "plainjob", "liteque"],
  ],
};

const require = createRequire(import.meta.url);

/** Not every package exports its package.json: it is looked for above the file that it does export. */
const versionOf = (name: string): string => {
  for (let folder = dirname(require.resolve(name)); folder !== "/"; folder = dirname(folder)) {
    try {
      const found: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const { name: foundName, version } = found as { name?: string; version?: string };
      if (foundName === name && version !== undefined) return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return "?";
};

/** The time and the load: they differ from run to run on one machine. */
export const describeMoment = (): string => {
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  return `- ${new Date().toISOString().slice(0, 16)}Z, load average of the last minute when it began: ${load}`;
};

export const describeMachine = (): Facts => {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 1_024 ** 3);
  const versions = Object.entries(packages).map(([title, names]) => [
    title,
    names.map((name) => `\`${name} ${versionOf(name)}\``).join(", "),
  ]);
  return {
    Machine: `${type()} ${release()}, ${cpus().length} × ${cpu?.model.trim() ?? "?"}, ${gigabytes} GB`,
    Node: process.version,
    ...Object.fromEntries(versions),
  };
};

/** As a list. */
export const toFactLines = (facts: Facts): string =>
  Object.entries(facts)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join("\n");

const postgresSettings = ["server_version", "fsync", "synchronous_commit", "full_page_writes"];

/** The settings that decide which failures a commit survives, as the servers report them. */
export const describeDurability = async (
  services: Services,
  stores: ReadonlySet<string>,
): Promise<Facts> => {
  const facts: Record<string, string> = {};
  if (stores.has("postgres")) {
    const { url } = await services.postgres();
    const names = postgresSettings.map((name) => `'${name} ' || current_setting('${name}')`);
    const { rows } = await withPgClient(url, (client) =>
      client.query<{ value: string[] }>(`SELECT ARRAY[${names.join(", ")}] AS value`),
    );
    const values = rows[0]?.value ?? [];
    facts["PostgreSQL"] = values.join(", ");
  }
  if (stores.has("sqlite")) facts["SQLite"] = describeSqlite();
  if (stores.has("mongodb"))
    facts["MongoDB"] = await describeMongodb((await services.mongodb()).url);
  if (stores.has("redis")) {
    facts["Redis"] = await describeRedis((await services.redis()).url);
    facts["Redis for bullmq-fsync"] = await describeRedis((await services.redisFsync()).url);
  }
  return facts;
};

const describeSqlite = (): string => {
  const db = openFile(":memory:");
  const version = String(db.prepare("SELECT sqlite_version()").pluck().get());
  const synchronous = String(db.pragma("synchronous", { simple: true }));
  db.close();
  return `${version}, journal_mode WAL, synchronous ${synchronous} (1 is NORMAL), the same for all`;
};

const describeMongodb = async (url: string): Promise<string> => {
  const client = new MongoClient(url);
  try {
    const admin = client.db("admin");
    const { version } = await admin.command({ buildInfo: 1 });
    const concerns = await admin.command({ getDefaultRWConcern: 1 });
    const { config } = await admin.command({ replSetGetConfig: 1 });
    const journal = String(config.writeConcernMajorityJournalDefault);
    return `${version}, one member, default write concern ${JSON.stringify(concerns["defaultWriteConcern"])}, journaled ${journal}`;
  } finally {
    await client.close();
  }
};

const describeRedis = async (url: string): Promise<string> => {
  const client = new Redis(url);
  try {
    const version = /redis_version:(\S+)/.exec(await client.info("server"))?.[1] ?? "?";
    const read = async (name: string): Promise<string> => {
      const [, value = "?"] = (await client.config("GET", name)) as string[];
      return `${name} "${value}"`;
    };
    const values = await Promise.all(["save", "appendonly", "appendfsync"].map(read));
    return `${version}, ${values.join(", ")}`;
  } finally {
    client.disconnect();
  }
};
