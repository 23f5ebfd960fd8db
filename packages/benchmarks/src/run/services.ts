// The servers of a run: one per store, started when first needed, with the durability they have by default.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MongodbService, startMongodb } from "@queuert/test-services/mongodb";
import { type NatsService, startNats } from "@queuert/test-services/nats";
import { type PostgresService, startPostgres } from "@queuert/test-services/postgres";
import { type RedisService, startRedis } from "@queuert/test-services/redis";
import { Redis } from "ioredis";
import type { Store, Target } from "../participants/participant.ts";

/** A target, and how to remove it. */
export interface LentTarget {
  readonly target: Target;
  readonly drop: () => Promise<void>;
}

export interface Services {
  readonly postgres: () => Promise<PostgresService>;
  readonly redis: () => Promise<RedisService>;
  readonly redisFsync: () => Promise<RedisService>;
  readonly mongodb: () => Promise<MongodbService>;
  readonly nats: () => Promise<NatsService>;
  /** A fresh place for one round of a participant. */
  readonly createTarget: (participant: string, store: Store) => Promise<LentTarget>;
  readonly close: () => Promise<void>;
}

// Memory and WAL as on a server that an operator has set up. Settings of durability stay as they
// are. The counters of pg_stat_statements give statements per job and idle queries.
const postgresSettings = {
  shared_buffers: "512MB",
  max_wal_size: "4GB",
  shared_preload_libraries: "pg_stat_statements",
};

const startFsyncRedis = async (): Promise<RedisService> => {
  const service = await startRedis({ exclusive: true, durability: "default" });
  const client = new Redis(service.url);
  await client.config("SET", "appendonly", "yes");
  await client.config("SET", "appendfsync", "always");
  client.disconnect();
  return service;
};

export const createServices = (): Services => {
  const started = new Map<string, Promise<{ readonly close: () => Promise<void> }>>();
  const once = <T extends { readonly close: () => Promise<void> }>(
    name: string,
    start: () => Promise<T>,
  ) => {
    return (): Promise<T> => {
      const known = started.get(name) ?? start();
      started.set(name, known);
      // The server of a name was started by the function of that name.
      return known as Promise<T>;
    };
  };
  const folder = mkdtempSync(join(tmpdir(), "queuert-benchmarks-"));
  let fileCount = 0;
  const exclusive = { exclusive: true, durability: "default" } as const;
  const postgres = once("postgres", () =>
    startPostgres({ ...exclusive, settings: postgresSettings }),
  );
  const redis = once("redis", () => startRedis(exclusive));
  const redisFsync = once("redis-fsync", startFsyncRedis);
  const mongodb = once("mongodb", () => startMongodb(exclusive));
  const nats = once("nats", () => startNats({ exclusive: true }));

  const notifiers = async (participant: string): Promise<Partial<Target>> => {
    if (participant.endsWith("-redis")) return { redisUrl: (await redis()).url };
    if (participant.endsWith("-nats")) return { natsUrl: (await nats()).url };
    return {};
  };
  const createTarget = async (participant: string, store: Store): Promise<LentTarget> => {
    fileCount += 1;
    const prefix = `bench_${process.pid}_${fileCount}`;
    if (store === "in-process") return lend({ url: "", prefix });
    if (store === "sqlite") {
      const url = join(folder, `${fileCount}.db`);
      const drop = async (): Promise<void> => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(url + suffix, { force: true });
      };
      return { target: { url, prefix }, drop };
    }
    if (store === "redis") {
      const server = await (participant.endsWith("-fsync") ? redisFsync() : redis());
      return { target: { url: server.url, prefix }, drop: () => flush(server.url) };
    }
    const server = await (store === "postgres" ? postgres() : mongodb());
    const { url, drop } = await server.createDatabase();
    return { target: { url, prefix, ...(await notifiers(participant)) }, drop };
  };
  return {
    postgres,
    redis,
    redisFsync,
    mongodb,
    nats,
    createTarget,
    close: async () => {
      const all = await Promise.allSettled(started.values());
      await Promise.all(
        all.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const lend = (target: Target): LentTarget => ({ target, drop: async () => {} });

/** One participant at a time has the server: all that is on it is its own. */
const flush = async (url: string): Promise<void> => {
  const client = new Redis(url);
  await client.flushall();
  client.disconnect();
};
