import type { Migration } from "./migration.ts";

// No CHECK on status: with IN it cost a tenth of every write, and the statements only ever write the five there are.
// No AUTOINCREMENT either: it writes one page more in every transaction that starts a job. The ordinal table keeps ordinals
// from being given out again, and is written only when jobs are deleted.
// What a job that starts a sequence would repeat of itself is NULL: sequence_id, sequence_type_name, sequence_created_at and,
// of a root, root_sequence_id. Most jobs are such jobs, and what counts is the size of a row.
// Every index serves a statement; each is partial where only a few rows matter to it, so that finished jobs cost nothing.
export const createJobs: Migration = {
  version: 1,
  name: "create-jobs",
  sql: ({ job, blocker, ordinal, store, prefix }, idType) => `
CREATE TABLE ${job} (
  ordinal INTEGER PRIMARY KEY,
  id ${idType} NOT NULL UNIQUE,
  type_name TEXT NOT NULL,
  sequence_id ${idType},
  sequence_type_name TEXT,
  sequence_created_at INTEGER,
  root_sequence_id ${idType},
  origin_id ${idType},
  position INTEGER NOT NULL,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL,
  scheduled_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  lease_version INTEGER NOT NULL DEFAULT 0,
  leased_by TEXT,
  leased_until INTEGER,
  created_at INTEGER NOT NULL,
  last_attempt_at INTEGER,
  finished_at INTEGER,
  completed_by TEXT,
  completed_lease INTEGER,
  continued_to_id ${idType},
  on_blocker_failure TEXT NOT NULL,
  blocker_count INTEGER NOT NULL DEFAULT 0,
  incomplete_blocker_count INTEGER NOT NULL DEFAULT 0,
  deduplication_key TEXT,
  deduplication_open INTEGER NOT NULL DEFAULT 0,
  trace_context TEXT,
  last_attempt_error TEXT,
  input TEXT NOT NULL,
  output TEXT
)${idType.toUpperCase() === "TEXT" ? " STRICT" : ""};
CREATE INDEX ${prefix}job_due ON ${job} (type_name, priority DESC, scheduled_at) WHERE status = 'pending';
CREATE INDEX ${prefix}job_leased ON ${job} (type_name, leased_until) WHERE status = 'running';
CREATE INDEX ${prefix}job_blocked ON ${job} (type_name) WHERE status = 'blocked';
CREATE INDEX ${prefix}job_failed ON ${job} (type_name) WHERE status = 'failed';
CREATE INDEX ${prefix}job_continuation ON ${job} (sequence_id, position) WHERE position > 0;
CREATE INDEX ${prefix}job_tree ON ${job} (root_sequence_id) WHERE root_sequence_id <> id;
CREATE INDEX ${prefix}job_deduplication ON ${job} (type_name, deduplication_key)
  WHERE deduplication_key IS NOT NULL;
CREATE INDEX ${prefix}job_deduplication_open ON ${job} (type_name, deduplication_key)
  WHERE deduplication_open = 1;
CREATE TABLE ${ordinal} (
  last INTEGER NOT NULL
) STRICT;
INSERT INTO ${ordinal} VALUES (0);
CREATE TABLE ${store} (
  id TEXT NOT NULL
) STRICT;
INSERT INTO ${store} VALUES (lower(hex(randomblob(8))));
CREATE TABLE ${blocker} (
  job_id ${idType} NOT NULL REFERENCES ${job} (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  blocker_sequence_id ${idType} NOT NULL REFERENCES ${job} (id) ON DELETE CASCADE,
  PRIMARY KEY (job_id, place)
) WITHOUT ROWID${idType.toUpperCase() === "TEXT" ? ", STRICT" : ""};
CREATE INDEX ${prefix}job_blocker_sequence ON ${blocker} (blocker_sequence_id, job_id);
`,
};
