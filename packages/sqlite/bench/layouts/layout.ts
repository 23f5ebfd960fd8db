// A layout of the store as statements alone: no promises, no spans, no payload checks. Only the tables differ.
import type BetterSqlite3 from "better-sqlite3";
import { createJobIdGenerator } from "queuert/internal";

/** A job as an acquisition returns it, and where its lease is. */
export interface HeldJob {
  readonly ordinal: number;
  readonly id: string;
  readonly leaseVersion: number;
  readonly leaseId: number;
}

/** The steps of a job. Each call is a part of an open transaction. */
export interface Layout {
  readonly start: (count: number) => void;
  readonly acquire: (limit: number) => readonly HeldJob[];
  readonly complete: (jobs: readonly HeldJob[]) => void;
}

export type OpenLayout = (db: BetterSqlite3.Database) => Layout;

export const typeName = "noop";
export const workerId = "018f3a5e-0000-7000-8000-000000000001";
export const leaseMs = 30_000;
export const output = '{"ok":true}';
export const nextId: () => string = createJobIdGenerator();

/** For root jobs without options, as the adapter inserts them. */
export const insertRoot = `
INSERT INTO queuert_job (
  ordinal, id, type_name, position, status, priority, scheduled_at, created_at, on_blocker_failure, input
) VALUES (?, ?, '${typeName}', 0, ?, 0, ?, ?, 'wait', ?)`;

export const lastOrdinal = `
SELECT max((SELECT last FROM queuert_ordinal), (SELECT coalesce(max(ordinal), 0) FROM queuert_job))`;

/** The other columns of a job that is no new root, as the adapter reads them. */
export const unlessNewRoot = (job: string): string =>
  `CASE WHEN ${job}.position = 0 AND ${job}.attempt = 0 AND ${job}.lease_version = 0 AND ${job}.blocker_count = 0
    AND ${job}.on_blocker_failure = 'wait' AND coalesce(${job}.root_sequence_id, ${job}.origin_id,
      ${job}.deduplication_key, ${job}.last_attempt_at, ${job}.last_attempt_error, ${job}.trace_context) IS NULL
    THEN NULL ELSE json_array(${job}.attempt, ${job}.lease_version) END`;

export type DueRow = readonly [
  ordinal: number,
  id: string,
  input: string,
  createdAt: number,
  scheduledAt: number,
  json: string | null,
];
