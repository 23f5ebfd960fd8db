// Step 4 of the walk: due jobs become running under a new lease, committed before anything is
// processed. One call of the routine serves every case; low-water marks are its only shortcut here. It also deletes leases of which
// all jobs have ended.
import type { AcquiredJob, StateSequence } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../../database.ts";
import type { HeldLeases } from "../held-leases.ts";
import { toAcquisition } from "./acquired-rows.ts";
import { createLowWaterMarks } from "./low-water-marks.ts";
import { createShownClock } from "./shown-clock.ts";

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
} as const;

export const acquireJobs = (db: PgDatabase, leases: HeldLeases): PgState["acquireJobs"] => {
  const acquire = db.routine("acquire_jobs", argTypes);
  const lowWaterMarks = createLowWaterMarks();
  const shownClock = createShownClock();
  let turn = 0;

  return async ({ workerId, limit, types }) => {
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
    });
    const acquisition = toAcquisition(rows, workerId, ordered);
    const { jobs, blockers, probe, nextDueInMs } = acquisition;
    leases.acquired(acquisition.leases);
    shownClock.learn(probe.atUs, acquisition.horizonUs);
    lowWaterMarks.learn(start, jobs, limit, probe);
    if (jobs.length >= limit) turn += 1;
    return {
      jobs: jobs.map(({ job, reclaimedFrom }): AcquiredJob => {
        return { job, blockers: blockers?.of(job.id) ?? noBlockers, reclaimedFrom };
      }),
      nextDueInMs,
      storeTime: new Date(probe.atUs / 1_000),
    };
  };
};

const noBlockers: readonly StateSequence[] = [];
