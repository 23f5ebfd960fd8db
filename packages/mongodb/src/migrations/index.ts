import type { CollectionNames } from "../database.ts";
import { createStore } from "./0001-create-store.ts";
import { schedules } from "./0003-schedules.ts";
import { operator } from "./0004-operator.ts";
import { metrics } from "./0005-metrics.ts";
import { limits } from "./0006-limits.ts";
import { deadlines } from "./0007-deadlines.ts";
import { logs } from "./0008-logs.ts";
import { limitKeys } from "./0009-limit-keys.ts";
import { retriedJobs } from "./0010-retried-jobs.ts";

export interface IndexDefinition {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly partialFilterExpression?: object;
  readonly expireAfterSeconds?: number;
}

/** One step of the store: collections and indexes to create. Its text is frozen once released. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly collections: { readonly [name in keyof CollectionNames]?: readonly IndexDefinition[] };
}

/** In order, without gaps. */
export const migrations: readonly Migration[] = [
  createStore,
  schedules,
  operator,
  metrics,
  limits,
  deadlines,
  logs,
  limitKeys,
  retriedJobs,
];

export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly IndexDefinition[];
}

/** All collections, with the indexes of all migrations. */
export const toCollectionIndexes = (names: CollectionNames): readonly CollectionIndexes[] =>
  (
    [
      "jobs",
      "deduplication_keys",
      "counters",
      "waits",
      "workers",
      "actions",
      "metrics",
      "logs",
      "progress",
      "schedules",
      "schedule_ticks",
      "limits",
      "limit_keys",
    ] as const
  ).map((name) => ({
    collection: names[name],
    indexes: migrations.flatMap(({ collections }) => collections[name] ?? []),
  }));
