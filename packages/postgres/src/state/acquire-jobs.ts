// Step 4 of the walk: due jobs become running under a new lease, committed before anything is processed.
import type { AcquiredJob, StateJob, StateSequence } from "queuert/internal";
import { column } from "../database.ts";
import { type AcquiredRow, isJobRow, type Lease, toAcquiredRow } from "../acquired-row.ts";
import { toDate, toStateJob } from "../job-row.ts";
import { createLowWaterMarks } from "../low-water-marks.ts";
import { createQuietTypes } from "../quiet-types.ts";
import type { PgRow } from "../state-provider.ts";
import { createTypeColumns } from "../type-columns.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

/** How many jobs of a type the shorter routine looks at; a number in its text. */
const windowSize = 8;

const commonTypes = {
  worker_id: "text",
  limit: "integer",
  types: "text[]",
  lease_ms: "float8[]",
  limits: "integer[]",
} as const;

const markTypes = {
  mark_types: "text[]",
  mark_priorities: "integer[]",
  mark_at_us: "float8[]",
  mark_ordinals: "bigint[]",
  leases_after_us: "float8",
} as const;

export const acquireJobs = (db: PgDatabase): PgState["acquireJobs"] => {
  const acquireFew = db.routine("acquire_few_jobs", { ...commonTypes, room: "integer" });
  const acquire = db.routine("acquire_jobs", { ...commonTypes, ...markTypes });
  const marks = createLowWaterMarks();
  const quiet = createQuietTypes();
  const columnsOf = createTypeColumns();
  let turn = 0;

  const take = async (asked: Asked): Promise<Result> => {
    const { limit, types } = asked;
    const args = { worker_id: asked.workerId, limit: String(limit), ...columnsOf(types) };
    if (quiet.have(types)) {
      const room = types.reduce((least, type) => Math.min(least, type.limit), limit);
      const result = toResult(await acquireFew({ ...args, room: String(room) }), asked);
      if (!result.isFew) quiet.foundMore(types);
      return result;
    }
    const start = marks.current(types);
    const { leasesAfterUs } = start;
    const result = toResult(
      await acquire({
        ...args,
        mark_types: column(start.marks, (mark) => mark.typeName),
        mark_priorities: column(start.marks, (mark) => mark.priority),
        mark_at_us: column(start.marks, (mark) => mark.scheduledAtUs),
        mark_ordinals: column(start.marks, (mark) => mark.ordinal),
        leases_after_us: leasesAfterUs === null ? null : String(leasesAfterUs),
      }),
      asked,
    );
    const { jobs, atUs, probeUs } = result;
    marks.learn(start, jobs, limit, { atUs, tookMs: probeUs / 1_000 });
    if (jobs.length >= Math.min(limit, windowSize)) quiet.foundMore(types);
    return result;
  };

  return async ({ workerId, limit, types }) => {
    if (types.length === 0 || limit <= 0) return { jobs: [], nextDueInMs: null };
    // After each acquisition that left something behind another type comes first: none goes without for ever.
    const first = turn % types.length;
    const ordered = first === 0 ? types : [...types.slice(first), ...types.slice(0, first)];
    const { jobs, blockers, nextDueInMs } = await take({ workerId, limit, types: ordered });
    if (jobs.length >= limit) turn += 1;
    return {
      jobs: jobs.map(({ job, reclaimedFrom }): AcquiredJob => {
        return { job, blockers: blockers?.of(job.id) ?? none, reclaimedFrom };
      }),
      nextDueInMs,
    };
  };
};

interface Asked {
  readonly workerId: string;
  readonly limit: number;
  /** In the order in which they were sent. */
  readonly types: Parameters<PgState["acquireJobs"]>[0]["types"];
}

interface Result {
  readonly jobs: readonly AcquiredRow[];
  readonly blockers: BlockerLists | null;
  /** Answered by the shorter routine. */
  readonly isFew: boolean;
  readonly atUs: number;
  readonly probeUs: number;
  readonly nextDueInMs: number | null;
}

const toResult = (rows: readonly PgRow[], asked: Asked): Result => {
  const [word, atUs, probeUs, dueMs] = String(rows.at(-1)?.["facts"]).split(" ");
  const leases = toLeases(asked, toDate(atUs));
  const jobs: AcquiredRow[] = [];
  for (const row of rows) {
    const facts = String(row["facts"]);
    if (isJobRow(facts)) jobs.push(toAcquiredRow(row, facts, leases));
  }
  return {
    jobs: jobs.sort(inOrder),
    blockers: toBlockerLists(rows),
    isFew: word === "few",
    atUs: Number(atUs),
    probeUs: Number(probeUs),
    nextDueInMs: dueMs === undefined ? null : Number(dueMs),
  };
};

const toLeases = ({ workerId, types }: Asked, takenAt: Date): readonly Lease[] =>
  types.map(({ typeName, leaseMs }) => ({
    typeName,
    workerId,
    takenAt,
    leasedUntil: new Date(takenAt.getTime() + leaseMs),
  }));

// The update returns rows by their places. Compared by microseconds, which a Date would drop.
const inOrder = (a: AcquiredRow, b: AcquiredRow): number =>
  b.job.priority - a.job.priority ||
  a.scheduledAtUs - b.scheduledAtUs ||
  a.job.ordinal - b.job.ordinal;

const none: readonly StateSequence[] = [];

interface BlockerLists {
  of(jobId: string): readonly StateSequence[];
}

/** Null if no job had blockers: rows of blockers come last, before the summary. */
const toBlockerLists = (rows: readonly PgRow[]): BlockerLists | null => {
  if (isJobRow(String(rows.at(-2)?.["facts"] ?? "0"))) return null;
  const lists = new Map<string, Map<number, { first?: StateJob; current?: StateJob }>>();
  for (const row of rows.slice(0, -1)) {
    const facts = String(row["facts"]);
    if (isJobRow(facts)) continue;
    const [word, index] = facts.split(" ");
    const jobId = String(row["id"]);
    const list = lists.get(jobId) ?? new Map<number, { first?: StateJob; current?: StateJob }>();
    lists.set(jobId, list);
    const role = word === "blocker_first" ? "first" : "current";
    list.set(Number(index), { ...list.get(Number(index)), [role]: toStateJob(row["rest"]) });
  }
  return {
    of: (jobId) => {
      const list = lists.get(jobId);
      if (list === undefined) return none;
      return [...list]
        .sort(([a], [b]) => a - b)
        .flatMap(([, { first, current }]) => {
          if (first === undefined) return [];
          return [{ first, current: current ?? first }];
        });
    },
  };
};
