// The rows of the routine: jobs, their blockers, and a summary. No stream of rows is wider, and each
// column costs on both sides. Numbers of a job therefore come in one text, and rare fields in one
// more. Fields that the caller knows are not sent. With these 9 columns instead of 19, a job cost
// the client 0.7 µs instead of 1.8.
import type {
  AcquireJobsParams,
  OnBlockerFailure,
  StateJob,
  StateSequence,
} from "queuert/internal";
import { toDate, toNullableText, toStateJob, toText } from "../../job-row.ts";
import type { PgRow } from "../../state-provider.ts";
import type { Probe } from "./low-water-marks.ts";

type Types = AcquireJobsParams["types"];

export interface Acquisition {
  /** In the order in which they are to be processed. */
  readonly jobs: readonly AcquiredRow[];
  /** Null if no job had blockers. */
  readonly blockers: BlockerLists | null;
  readonly probe: Probe;
  readonly nextDueInMs: number | null;
}

/** `types`: in the order in which they were sent. */
export const toAcquisition = (
  rows: readonly PgRow[],
  workerId: string,
  types: Types,
): Acquisition => {
  const [, atUs, probeUs, dueMs] = String(rows.at(-1)?.["facts"]).split(" ");
  const leases = toLeases(workerId, types, toDate(atUs));
  const jobs: AcquiredRow[] = [];
  for (const row of rows) {
    const facts = String(row["facts"]);
    if (isJobRow(facts)) jobs.push(toAcquiredRow(row, facts, leases));
  }
  return {
    jobs: jobs.sort(inOrder),
    blockers: toBlockerLists(rows),
    probe: { atUs: Number(atUs), tookMs: Number(probeUs) / 1_000 },
    nextDueInMs: dueMs === undefined ? null : Number(dueMs),
  };
};

/** A job as it was acquired, with the microseconds that a Date would round. */
export interface AcquiredRow {
  readonly job: StateJob;
  readonly scheduledAtUs: number;
  readonly reclaimedFrom: string | null;
}

/** The fields that all jobs of a type share in one acquisition. */
interface Lease {
  readonly typeName: string;
  readonly workerId: string;
  readonly takenAt: Date;
  readonly leasedUntil: Date;
}

/** `facts` begins with a number in the row of a job, and with a word in any other. */
const isJobRow = (facts: string): boolean => facts.charCodeAt(0) <= lastDigit;

const lastDigit = "9".charCodeAt(0);

/** `leases`: of the types asked for, in their order. */
const toAcquiredRow = (row: PgRow, facts: string, leases: readonly Lease[]): AcquiredRow => {
  const [type, ordinal, createdUs, attempt, leaseVersion, position, sequenceUs] = facts.split(" ");
  // The routine answers with jobs of the types asked for.
  const lease = leases[Number(type) - 1] as Lease;
  const id = String(row["id"]);
  const rest = row["rest"] === null ? usual : (JSON.parse(String(row["rest"])) as Rest);
  const scheduledAtUs = rest.scheduled_at_us ?? Number(createdUs);
  const createdAt = new Date(Number(createdUs) / 1_000);
  const job: StateJob = {
    id,
    typeName: lease.typeName,
    sequenceId: position === undefined ? id : String(row["sequence_id"]),
    sequenceTypeName: position === undefined ? lease.typeName : toText(row["sequence_type_name"]),
    sequenceCreatedAt: sequenceUs === undefined ? createdAt : new Date(Number(sequenceUs) / 1_000),
    rootSequenceId: String(row["root_sequence_id"] ?? id),
    originId: toNullableText(row["origin_id"]),
    position: position === undefined ? 0 : Number(position),
    ordinal: Number(ordinal),
    status: "running",
    input: toText(row["input"]),
    output: null,
    continuedToId: null,
    priority: rest.priority ?? 0,
    onBlockerFailure: rest.on_blocker_failure ?? "wait",
    deduplicationKey: rest.deduplication_key ?? null,
    createdAt,
    scheduledAt: rest.scheduled_at_us ? new Date(scheduledAtUs / 1_000) : createdAt,
    attempt: Number(attempt),
    lastAttemptAt: lease.takenAt,
    lastAttemptError: rest.last_attempt_error ?? null,
    leaseVersion: Number(leaseVersion),
    leasedBy: lease.workerId,
    leasedUntil: lease.leasedUntil,
    finishedAt: null,
    completedBy: null,
    traceContext: toNullableText(row["trace_context"]),
  };
  return { job, scheduledAtUs, reclaimedFrom: rest.reclaimed_from ?? null };
};

interface Rest {
  readonly priority?: number | null;
  readonly scheduled_at_us?: number | null;
  readonly on_blocker_failure?: OnBlockerFailure | null;
  readonly deduplication_key?: string | null;
  readonly last_attempt_error?: string | null;
  readonly reclaimed_from?: string | null;
}

const usual: Rest = {};

const toLeases = (workerId: string, types: Types, takenAt: Date): readonly Lease[] =>
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
