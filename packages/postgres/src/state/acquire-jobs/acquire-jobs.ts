// oxlint-disable max-lines -- the acquisition is one step of the walk.
// Step 4 of the walk: due jobs become running under a new lease, committed before anything is
// processed. One call of the routine serves every case; low-water marks are its only shortcut here. It also deletes leases of which
// all jobs have ended.
import {
  type AcquiredJob,
  type AcquireJobsParams,
  newStateJob,
  type StateJob,
  type StateSequence,
} from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../../database.ts";
import {
  type AcquiredLease,
  addTo,
  type HeldLeases,
  type Lease,
  leaseOfQueue,
  toLease,
} from "../held-leases.ts";
import type { LowWaterMarks, Probe } from "./low-water-marks.ts";
import {
  addRareFields,
  type OwnStateJob,
  toDate,
  toNullableText,
  toStateJob,
  toText,
} from "../../job-row.ts";
import type { PgRow } from "../../state-provider.ts";

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
interface ShownClock {
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

// The rows of the routine: jobs, their blockers, and a summary. No stream of rows is wider, and each
// column costs on both sides. Numbers of a job therefore come in one text, and rare fields in one
// more. Fields that the caller knows are not sent. With these 9 columns instead of 19, a job cost
// the client 0.7 µs instead of 1.8.

type Types = AcquireJobsParams["types"];

export interface Acquisition {
  /** In the order in which they are to be processed. */
  readonly jobs: readonly AcquiredRow[];
  /** Null if no job had blockers. */
  readonly blockers: BlockerLists | null;
  readonly leases: readonly AcquiredLease[];
  /** How far the probes have reached. */
  readonly horizonUs: number;
  readonly probe: Probe;
  readonly isLimited: boolean;
  readonly nextDueInMs: number | null;
}

/** `types`: in the order in which they were sent. */
const toAcquisition = (rows: readonly PgRow[], workerId: string, types: Types): Acquisition => {
  const [, atUs, horizonUs, probeUs, isLimited, dueMs] = String(rows.at(-1)?.["facts"]).split(" ");
  const leases = new Map<string, Lease>();
  const jobs: AcquiredRow[] = [];
  for (const row of rows) {
    const facts = String(row["facts"]).split(" ");
    const type = facts[0] ?? "";
    if (!isJobRow(type)) continue;
    let lease = leases.get(type);
    if (lease === undefined) {
      // The routine answers with jobs of the types asked for.
      lease = toLease(workerId, types[Number(type) - 1] as Types[number], Number(atUs));
      leases.set(type, lease);
    }
    jobs.push(toAcquiredRow(row, facts, lease, leases));
  }
  return {
    jobs: jobs.sort(inOrder),
    blockers: toBlockerLists(rows),
    leases: [...leases.values()].filter(({ jobs: held }) => held.length > 0),
    horizonUs: Number(horizonUs),
    probe: { atUs: Number(atUs), tookMs: Number(probeUs) / 1_000 },
    isLimited: isLimited === "1",
    nextDueInMs: dueMs === undefined ? null : Number(dueMs),
  };
};

/** A job as it was acquired, with the microseconds that a Date would round. */
export interface AcquiredRow {
  readonly job: StateJob;
  readonly scheduledAtUs: number;
  readonly reclaimedFrom: string | null;
  /** It comes from the queue of a key. */
  readonly isUnderKey: boolean;
}

/** The first character of each queue of a key, and of no JSON text. */
const queueStart = "\u0001";

/** `facts` begins with a number in the row of a job, and with a word in any other. */
const isJobRow = (facts: string): boolean => facts.charCodeAt(0) <= lastDigit;

const lastDigit = "9".charCodeAt(0);

/** `leases`: by the place of their type, or by the queue of a key. */
const toAcquiredRow = (
  row: PgRow,
  facts: readonly string[],
  lease: Lease,
  leases: Map<string, Lease>,
): AcquiredRow => {
  // By index: patterns of arrays make an object for each element.
  const createdUs = Number(facts[2]);
  const position = facts[5];
  const id = String(row["id"]);
  const createdAt = toDate(createdUs);
  const job: OwnStateJob = newStateJob(
    {
      kind: "entry",
      typeName: lease.typeName,
      input: toText(row["input"]),
      schedule: null,
      priority: 0,
      awaitsBlockers: false,
      onBlockerFailure: "wait",
      traceContext: toNullableText(row["trace_context"]),
      rootSequenceId: toNullableText(row["root_sequence_id"]),
      originId: toNullableText(row["origin_id"]),
      deduplication: null,
    },
    {
      id,
      ordinal: Number(facts[1]),
      createdAt,
      scheduledAt: createdAt,
      sequenceCreatedAt: createdAt,
    },
  );
  if (position !== undefined) {
    job.position = Number(position);
    job.sequenceId = String(row["sequence_id"]);
    job.sequenceTypeName = toText(row["sequence_type_name"]);
    job.sequenceCreatedAt = toDate(facts[6]);
  }
  job.status = "running";
  job.attempt = Number(facts[3]);
  job.lastAttemptAt = lease.takenAt;
  job.leaseVersion = Number(facts[4]);
  job.leasedBy = lease.workerId;
  job.leasedUntil = lease.leasedUntil;
  const text = toNullableText(row["rest"]);
  if (text === null || text.startsWith(queueStart)) {
    addTo(text === null ? lease : leaseOfQueue(leases, text, lease), job);
    return { job, scheduledAtUs: createdUs, reclaimedFrom: null, isUnderKey: text !== null };
  }
  const rest = JSON.parse(text) as Readonly<Record<string, unknown>>;
  addRareFields(job, rest);
  const queue = toNullableText(rest["queue"]);
  addTo(queue === null ? lease : leaseOfQueue(leases, queue, lease), job);
  return {
    job,
    scheduledAtUs: Number(rest["scheduled_at"]),
    reclaimedFrom: toNullableText(rest["reclaimed_from"]),
    isUnderKey: queue !== null,
  };
};

// The update returns rows by their places. Compared by microseconds, which a Date would drop.
const inOrder = (a: AcquiredRow, b: AcquiredRow): number =>
  b.job.priority - a.job.priority ||
  a.scheduledAtUs - b.scheduledAtUs ||
  a.job.ordinal - b.job.ordinal;

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
      if (list === undefined) return [];
      return [...list]
        .sort(([a], [b]) => a - b)
        .flatMap(([, { first, current }]) => {
          if (first === undefined) return [];
          return [{ first, current: current ?? first }];
        });
    },
  };
};
