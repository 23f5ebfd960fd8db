// The servers that the project's globalSetup started once for the whole run, as a test sees them.
import { inject } from "vitest";
import { mongodbDatabases, type MongodbDatabases } from "./mongodb.ts";
import { uniqueName } from "./options.ts";
import type { ClusterNode } from "./provided-context.ts";
import { postgresDatabases, type PostgresDatabases } from "./postgres-server.ts";

type Namespaced = {
  /** A prefix for keys, channels and subjects that no other test uses. */
  readonly namespace: () => string;
};

/** The path of a Chromium. */
export const providedChromium = (): string => inject("queuert:chromium");

export const providedPostgres = (): PostgresDatabases =>
  postgresDatabases(inject("queuert:postgres"));

export const providedPostgres18 = (): PostgresDatabases =>
  postgresDatabases(inject("queuert:postgres-18"));

export const providedMongodb = (): MongodbDatabases => mongodbDatabases(inject("queuert:mongodb"));

export const providedRedis = (): Namespaced & { readonly url: string } => ({
  url: inject("queuert:redis"),
  namespace: uniqueName,
});

export const providedRedisCluster = (): Namespaced & {
  readonly nodes: readonly ClusterNode[];
} => ({ nodes: inject("queuert:redis-cluster"), namespace: uniqueName });

export const providedNats = (): Namespaced & { readonly url: string } => ({
  url: inject("queuert:nats"),
  namespace: uniqueName,
});
