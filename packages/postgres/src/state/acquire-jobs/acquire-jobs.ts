// Step 4 of the walk: due jobs become running under a new lease, committed before anything is
// processed. One call of the routine serves every case; low-water marks are its only shortcut here. It also deletes leases of which
// all jobs have ended.
import type { AcquiredJob, AcquireJobsParams, StateSequence } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../../database.ts";
import type { HeldLeases } from "../held-leases.ts";
import { toAcquisition } from "./acquired-rows.ts";
import type { LowWaterMarks } from "./low-water-marks.ts";

const argTypes = {
  worker_id: "text",
  limit: "integer",
  types: "text[]",
  lease_ms: "float8[]",
  limits: "integer[]",
  mark_types: "text[]",
  mark_priorities: "integer[]",
  mark_at_us: "float8[]",
  mark_ordinals: "bigint[]",
  settled_until_us: "float8[]",
  settled_ordinals: "bigint[]",
  horizon_us: "float8",
  slots: "integer",
  batches: "text",
} as const;

export const acquireJobs = (
  db: PgDatabase,
  leases: HeldLeases,
  lowWaterMarks: LowWaterMarks,
): PgState["acquireJobs"] => {
  const acquire = db.routine("acquire_jobs", argTypes);
  const shownClock = createShownClock();
  let turn = 0;

  return async ({ workerId, limit, slots = limit, types }) => {
    if (types.length === 0 || limit <= 0) return { jobs: [], nextDueInMs: null };
    // After each acquisition that left jobs behind another type comes first, so that none starves.
    const first = turn % types.length;
    const ordered = first === 0 ? types : [...types.slice(first), ...types.slice(0, first)];
    const start = lowWaterMarks.current(ordered);
    const { marks } = start;
    const settled = leases.takeSettled();
    const horizonUs = shownClock.horizonUs();
    const rows = await acquire({
      worker_id: workerId,
      limit: String(limit),
      types: column(ordered, (type) => type.typeName),
      lease_ms: column(ordered, (type) => type.leaseMs),
      limits: column(ordered, (type) => type.limit),
      mark_types: column(marks, (mark) => mark.typeName),
      mark_priorities: column(marks, (mark) => mark.priority),
      mark_at_us: column(marks, (mark) => mark.scheduledAtUs),
      mark_ordinals: column(marks, (mark) => mark.ordinal),
      settled_until_us: column(settled, (lease) => lease.untilUs),
      settled_ordinals: column(settled, (lease) => lease.firstOrdinal),
      horizon_us: horizonUs === null ? null : String(horizonUs),
      slots: String(slots),
      batches: toBatches(ordered),
    });
    const acquisition = toAcquisition(rows, workerId, ordered);
    const { jobs, blockers, probe, isLimited, nextDueInMs } = acquisition;
    leases.acquired(workerId, acquisition.leases);
    shownClock.learn(probe.atUs, acquisition.horizonUs);
    lowWaterMarks.learn(start, jobs, limit, probe);
    if (jobs.length >= limit) turn += 1;
    return {
      jobs: jobs.map(({ job, reclaimedFrom }): AcquiredJob => {
        return { job, blockers: blockers?.of(job.id) ?? noBlockers, reclaimedFrom };
      }),
      nextDueInMs,
      isLimited,
      storeTime: new Date(probe.atUs / 1_000),
    };
  };
};

/** Null: no type is acquired in batches. */
const toBatches = (types: AcquireJobsParams["types"]): string | null => {
  const batches = types.flatMap(({ typeName, batch }) =>
    batch === undefined
      ? []
      : [
          {
            ...{ type_name: typeName, min_size: batch.minSize, max_wait_ms: batch.maxWaitMs },
            per_key: batch.perKey ?? false,
          },
        ],
  );
  return batches.length === 0 ? null : JSON.stringify(batches);
};

const noBlockers: readonly StateSequence[] = [];

/**
 * The clock of the server can be set back. A job that was due when it became pending then has a due time in the future. It
 * stays due: each probe reaches as far as the clock has ever shown. A new worker, and one that notices the step, asks the
 * server how far that is.
 */
export interface ShownClock {
  /** How far probes reach, in microseconds since 1970; null: the server has to look. */
  horizonUs(): number | null;
  /** An acquisition has returned this time of the server, and the horizon that it used. */
  learn(atUs: number, horizonUs: number): void;
}

const lookIntervalMs = 10_000;

export const createShownClock = (now: () => number = () => performance.now()): ShownClock => {
  let shownUs: number | null = null;
  let isBehind = false;
  let lookedAt = 0;
  return {
    horizonUs: () => {
      if (shownUs !== null && !(isBehind && now() - lookedAt >= lookIntervalMs)) return shownUs;
      lookedAt = now();
      return null;
    },
    learn: (atUs, horizonUs) => {
      isBehind = atUs < Math.max(shownUs ?? 0, horizonUs);
      shownUs = Math.max(shownUs ?? 0, atUs, horizonUs);
    },
  };
};
