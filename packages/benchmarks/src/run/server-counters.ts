// The counters of the servers about their own work: CPU time of their processes, statements, bytes
// of WAL.
import { readdirSync, readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import pg from "pg";
import type { Participant, Target } from "../participants/participant.ts";

export interface ServerCounters {
  /** In ms; undefined where the store has no process of its own. */
  readonly cpuMs: number | undefined;
  readonly statements: number | undefined;
  readonly walBytes: number | undefined;
}

export interface ServerCounter {
  readonly read: () => Promise<ServerCounters>;
  readonly close: () => Promise<void>;
}

const ticksPerSecond = 100;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly ownTicks: number;
  /** Of children that have ended. */
  readonly endedTicks: number;
}

// The fields after the command's name, which may contain spaces: see proc(5).
const timesOf = (pid: number): ProcessTimes | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const at = (field: number): number => fields[field - 3] ?? 0;
    return { pid, parent: at(4), ownTicks: at(14) + at(15), endedTicks: at(16) + at(17) };
  } catch {
    // It has ended between the listing and the look, or there is no /proc on this system.
    return undefined;
  }
};

/** User and system time of a process and its children, ended ones included; undefined without a /proc. */
const cpuMsOf = (root: number): number | undefined => {
  const own = timesOf(root);
  if (own === undefined) return undefined;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parent === root);
  const ticks = children.reduce((sum, times) => sum + (times?.ownTicks ?? 0), 0);
  return ((own.ownTicks + own.endedTicks + ticks) / ticksPerSecond) * 1_000;
};

const countPostgres = async ({ url }: Target): Promise<ServerCounter> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  const { rows: settings } = await client.query<{ value: string }>(
    "SELECT setting AS value FROM pg_settings WHERE name = 'data_directory'",
  );
  const pidFile = `${settings[0]?.value}/postmaster.pid`;
  const postmaster = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  const sql = `SELECT (pg_current_wal_lsn() - '0/0')::float8 AS "walBytes",
    (SELECT coalesce(sum(s.calls), 0)::float8 FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = current_database() AND s.toplevel AND s.query NOT LIKE '%pg_stat_statements%') AS statements`;
  return {
    read: async () => {
      const { rows } = await client.query<{ walBytes: number; statements: number }>(sql);
      return {
        cpuMs: cpuMsOf(postmaster),
        statements: rows[0]?.statements,
        walBytes: rows[0]?.walBytes,
      };
    },
    close: () => client.end(),
  };
};

// Heartbeats of the driver and our own look are not queries.
const ignoredCommands = new Set(["hello", "isMaster", "ping", "serverStatus", "endSessions"]);

const countMongodb = async ({ url }: Target): Promise<ServerCounter> => {
  const client = new MongoClient(url);
  await client.connect();
  return {
    read: async () => {
      const status = await client.db("admin").command({ serverStatus: 1 });
      // As documented: each command with how often it was called.
      const commands = status["metrics"]["commands"] as Record<string, { total?: unknown }>;
      const statements = Object.entries(commands)
        .filter(([name]) => !ignoredCommands.has(name))
        .reduce((sum, [, { total }]) => sum + Number(total ?? 0), 0);
      return { cpuMs: cpuMsOf(Number(status["pid"])), statements, walBytes: undefined };
    },
    close: () => client.close(),
  };
};

const countRedis = async ({ url }: Target): Promise<ServerCounter> => {
  const client = new Redis(url);
  const { 1: pid } = /process_id:(\d+)/.exec(await client.info("server")) ?? [];
  return {
    read: async () => {
      const commands = (await client.info("commandstats")).matchAll(
        /cmdstat_(\w+).*?:calls=(\d+)/g,
      );
      const statements = [...commands]
        .filter(([, name]) => name !== "info")
        .reduce((sum, [, , calls]) => sum + Number(calls), 0);
      return { cpuMs: cpuMsOf(Number(pid)), statements, walBytes: undefined };
    },
    close: async () => {
      client.disconnect();
    },
  };
};

const nothing: ServerCounters = { cpuMs: undefined, statements: undefined, walBytes: undefined };

/** Opened after `prepare`: its own beginnings are not counted. */
export const countServer = async (
  { store }: Participant,
  target: Target,
): Promise<ServerCounter> => {
  if (store === "postgres") return countPostgres(target);
  if (store === "mongodb") return countMongodb(target);
  if (store === "redis") return countRedis(target);
  return { read: async () => nothing, close: async () => {} };
};
