// Step 4 of the walk: due jobs become running under a new lease, committed before anything is processed.
import type { AcquiredJob, StateJob, StateSequence } from "queuert/internal";
import { column } from "../database.ts";
import { withRest } from "../acquired-row.ts";
import { fromJobText, toDate, toNullableText, toStateJob } from "../job-row.ts";
import { createLowWaterMarks, type Probe } from "../low-water-marks.ts";
import type { PgRow } from "../state-provider.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

const argTypes = [
  ...["text", "integer", "text[]", "float8[]", "integer[]"],
  ...["text[]", "integer[]", "float8[]", "bigint[]", "float8"],
];

export const acquireJobs = (db: PgDatabase): PgState["acquireJobs"] => {
  const acquire = db.routine("acquire_jobs", argTypes);
  const marks = createLowWaterMarks();
  let turn = 0;

  return async ({ workerId, limit, types }) => {
    if (types.length === 0 || limit <= 0) return { jobs: [], nextDueInMs: null };
    // After each acquisition that left something behind another type comes first: none goes without for ever.
    const first = turn % types.length;
    const ordered = first === 0 ? types : [...types.slice(first), ...types.slice(0, first)];
    const start = marks.current(ordered);
    const { leasesAfterUs } = start;
    const rows = await acquire([
      workerId,
      String(limit),
      column(ordered, (type) => type.typeName),
      column(ordered, (type) => type.leaseMs),
      column(ordered, (type) => type.limit),
      column(start.marks, (mark) => mark.typeName),
      column(start.marks, (mark) => mark.priority),
      column(start.marks, (mark) => mark.scheduledAtUs),
      column(start.marks, (mark) => mark.ordinal),
      leasesAfterUs === null ? null : String(leasesAfterUs),
    ]);
    const leaseMsByType = new Map(types.map(({ typeName, leaseMs }) => [typeName, leaseMs]));
    return toResult(rows, {
      learn: (jobs, probe) => {
        if (jobs.length >= limit) turn += 1;
        marks.learn(start, jobs, limit, probe);
      },
      workerId,
      leaseMsOf: (typeName) => leaseMsByType.get(typeName) ?? 0,
    });
  };
};

interface Acquisition {
  readonly learn: (jobs: readonly PgRow[], probe: Probe) => void;
  readonly workerId: string;
  readonly leaseMsOf: (typeName: string) => number;
}

const toResult = (
  rows: readonly PgRow[],
  { learn, workerId, leaseMsOf }: Acquisition,
): Awaited<ReturnType<PgState["acquireJobs"]>> => {
  const jobRows: PgRow[] = [];
  const blockers = createBlockerLists();
  let summary: PgRow = {};
  for (const row of rows) {
    if (row["kind"] === "job") jobRows.push(withRest(row));
    else if (row["kind"] === "summary") summary = row;
    else blockers.add(row);
  }
  const takenAt = toDate(summary["created_at_us"]);
  const atUs = Number(summary["created_at_us"]);
  learn(jobRows, { atUs, tookMs: Number(summary["rest"]) / 1_000 });
  const jobs = jobRows.sort(inOrder).map((row): AcquiredJob => {
    // What is the same for all of them comes once, or is known here.
    const job: StateJob = Object.assign(toStateJob(row), {
      status: "running" as const,
      leasedBy: workerId,
      lastAttemptAt: takenAt,
      leasedUntil: new Date(takenAt.getTime() + leaseMsOf(String(row["type_name"]))),
    });
    return { job, blockers: blockers.of(job.id), reclaimedFrom: toNullableText(row["detail"]) };
  });
  const due = summary["detail"];
  return {
    jobs,
    nextDueInMs: due === null || due === undefined ? null : Number(due),
  };
};

// The update returns rows in the order of ids. Compared before they become Dates, which would drop the microseconds.
const inOrder = (a: PgRow, b: PgRow): number =>
  Number(b["priority"] ?? 0) - Number(a["priority"] ?? 0) ||
  Number(a["scheduled_at_us"] ?? a["created_at_us"]) -
    Number(b["scheduled_at_us"] ?? b["created_at_us"]) ||
  Number(a["ordinal"]) - Number(b["ordinal"]);

const none: readonly StateSequence[] = [];

interface BlockerLists {
  add(row: PgRow): void;
  of(jobId: string): readonly StateSequence[];
}

/** Rows come as they are found; `element` is the place in the list of the job named in `detail`. */
const createBlockerLists = (): BlockerLists => {
  const lists = new Map<string, Map<number, { first?: PgRow; current?: PgRow }>>();
  return {
    add: (row) => {
      const jobId = String(row["detail"]);
      const list = lists.get(jobId) ?? new Map<number, { first?: PgRow; current?: PgRow }>();
      lists.set(jobId, list);
      const index = Number(row["element"]);
      const role = row["kind"] === "blocker_first" ? "first" : "current";
      list.set(index, { ...list.get(index), [role]: fromJobText(row["rest"]) });
    },
    of: (jobId) => {
      const list = lists.get(jobId);
      if (list === undefined) return none;
      return [...list]
        .sort(([a], [b]) => a - b)
        .flatMap(([, { first, current }]) => {
          if (first === undefined) return [];
          const firstJob = toStateJob(first);
          return [{ first: firstJob, current: current ? toStateJob(current) : firstJob }];
        });
    },
  };
};
