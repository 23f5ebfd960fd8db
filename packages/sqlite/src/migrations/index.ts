import { createJobs } from "./0001-create-jobs.ts";
import type { Migration } from "./migration.ts";

/** In order, without gaps. */
export const migrations: readonly Migration[] = [createJobs];

export const knownVersion: number = migrations.length;
