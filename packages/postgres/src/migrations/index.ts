import { createStore } from "./0001-create-store.ts";
import { control } from "./0002-control.ts";
import { schedules } from "./0003-schedules.ts";
import { operator } from "./0004-operator.ts";
import type { Migration } from "./migration.ts";

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [createStore, control, schedules, operator];

/** Raise it by one in each release that changes a routine or adds a migration. `test/routines.test.ts` enforces it. */
export const routinesVersion = 1;
