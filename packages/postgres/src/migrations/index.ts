import { createStore } from "./0001-create-store.ts";
import { control } from "./0002-control.ts";
import { schedules } from "./0003-schedules.ts";
import { operator } from "./0004-operator.ts";
import { attempts } from "./0005-attempts.ts";
import { metrics } from "./0006-metrics.ts";
import { limits } from "./0007-limits.ts";
import { deadlines } from "./0008-deadlines.ts";
import { logs } from "./0009-logs.ts";
import { limitKeys } from "./0010-limit-keys.ts";
import type { Migration } from "./migration.ts";

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [
  createStore,
  control,
  schedules,
  operator,
  attempts,
  metrics,
  limits,
  deadlines,
  logs,
  limitKeys,
];

/** Raise it by one in each release that changes a routine or adds a migration. `test/routines.test.ts` enforces it. */
export const routinesVersion = 1;
