import { createStore } from "./0001-create-store.ts";
import type { Migration } from "./migration.ts";

/** In the order in which they are applied: the first one makes version 1. */
export const migrations: readonly Migration[] = [createStore];

export const knownVersion: number = migrations.length;
