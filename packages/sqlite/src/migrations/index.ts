import { createStore } from "./0001-create-store.ts";
import { control } from "./0002-control.ts";
import { schedules } from "./0003-schedules.ts";
import { operator } from "./0004-operator.ts";
import { metrics } from "./0005-metrics.ts";
import { limits } from "./0006-limits.ts";
import { deadlines } from "./0007-deadlines.ts";
import { logs } from "./0008-logs.ts";
import { limitKeys } from "./0009-limit-keys.ts";
import { sharedErrors } from "./0010-shared-errors.ts";
import type { Migration } from "./migration.ts";

/** In the order in which they are applied: the first one makes version 1. */
export const migrations: readonly Migration[] = [
  createStore,
  control,
  schedules,
  operator,
  metrics,
  limits,
  deadlines,
  logs,
  limitKeys,
  sharedErrors,
];

export const knownVersion: number = migrations.length;

/**
 * The version of the tables that the release before knows. Its processes may start beside this release, so a migration only adds:
 * tables, indexes, and columns that have a default. Set it to the last released version with the first migration after it.
 */
export const usableFrom = 4;
