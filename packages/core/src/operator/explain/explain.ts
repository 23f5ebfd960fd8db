// `explain`: why a job is not running. The row decides first, then its blockers, then the workers.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import { assertName } from "../../model/assert-option.ts";
import { gatherBatch } from "./batches.ts";
import { explainBlocked } from "./blocked.ts";
import { estimate, type Found } from "./estimate.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import type { Explanation, Reason, RootCause, Verdict } from "../../public-types/explanation.ts";
import { gatherKey } from "./keys.ts";
import { gatherFull } from "./full.ts";
import { ownReasons } from "./own-reasons.ts";
import { remediesOf } from "./remedies.ts";
import { gatherRun } from "./running.ts";
import { findRetryPath } from "./retry-path.ts";
import type { RedactTextOption } from "../redact/redact.ts";
import { nameOf, toRef } from "./words.ts";

/** More due jobs than this are not counted. */
const aheadMax = 10_000;

/** Texts that a running attempt has reported. */
export interface ReportedText {
  /** How many of its last lines are shown. */
  readonly logTail: number;
  /** Undefined: they are shown as they are. */
  readonly redactText: RedactTextOption | undefined;
}

const noLines: ReportedText = { logTail: 0, redactText: undefined };

/** Explains one job. */
export const explainJob = async (
  state: AnyStateAdapter,
  id: string,
  context?: object | undefined,
  reported: ReportedText = noLines,
): Promise<Explanation> => {
  assertName(id, "id");
  // The clock is read after the job: a job that was due is due still.
  const [job] = await state.getJobs({ context, ids: [id] });
  const evidence = await gatherEvidence(state);
  if (job === undefined) return invisible(id, evidence);
  const { reasons, rootCause, ahead } = await findReasons(state, job, evidence, {
    context,
    reported,
  });
  const retryPath = await findRetryPath(state, job, rootCause, context);
  const verdict = verdictOf(job, reasons, rootCause);
  const isAheadKnown = state.operator?.countAhead !== undefined;
  const [deciding] = reasons;
  return {
    jobId: job.id,
    sequenceId: job.sequenceId,
    typeName: job.typeName,
    status: job.status,
    at: evidence.now,
    verdict,
    headline: `${nameOf(toRef(job))}: ${deciding?.text ?? ""}`,
    reasons,
    rootCause,
    runsAt: {
      earliest: earliestOf(job, deciding, evidence),
      estimate: await estimate(state, job, { reasons, ahead }, evidence),
    },
    remedies: remediesOf(job, reasons, rootCause, retryPath),
    unknown: isAheadKnown ? evidence.unknown : [...evidence.unknown, "ahead"],
  };
};

const findReasons = async (
  state: AnyStateAdapter,
  job: StateJob,
  evidence: Evidence,
  { context, reported }: { readonly context: object | undefined; readonly reported: ReportedText },
): Promise<Found & { readonly rootCause: RootCause | null }> => {
  if (job.status === "blocked") return explainBlocked(state, job, evidence, context);
  const isDue = job.status === "pending" && job.scheduledAt <= evidence.now;
  const isLost =
    job.status === "running" && job.leasedUntil !== null && job.leasedUntil <= evidence.now;
  if (job.status === "running" && !isLost) {
    const run = await gatherRun(state, job, reported);
    return { reasons: ownReasons(job, evidence, { run }), rootCause: null };
  }
  if (!isDue && !isLost) return { reasons: ownReasons(job, evidence), rootCause: null };
  const { operator } = state;
  const ids = [job.id];
  const counted = isDue ? await operator?.countAhead?.({ ids, max: aheadMax }) : undefined;
  const locks = isDue ? await operator?.findLocks?.({ ids }) : undefined;
  const key = await gatherKey(state, job, context);
  const batch = await gatherBatch(state, job, key?.key, evidence);
  const full = isDue ? await gatherFull(state, job, evidence) : undefined;
  const ahead = counted?.[0];
  const probed = { ahead, lock: locks?.[0], key, batch, full };
  return { reasons: ownReasons(job, evidence, probed), rootCause: null, ahead };
};

const verdictOf = (
  job: StateJob,
  [deciding]: readonly Reason[],
  rootCause: RootCause | null,
): Verdict => {
  switch (deciding?.kind) {
    case "completed":
    case "failed":
    case "cancelled":
      return "finished";
    case "running":
      return "running";
    case "lease_expired":
      return deciding.liveWorkers === 0 ? "stuck" : "will_run";
    case "paused":
      return deciding.until === null ? "stuck" : "waits";
    case "key_paused":
      return deciding.until === null ? "stuck" : "waits";
    case "limit_reached":
    case "key_limit_reached":
      return deciding.concurrency === 0 ? "stuck" : "waits";
    case "no_worker":
    case "blocked_in_a_circle":
      return "stuck";
    case "blocked_by_failed":
      return job.onBlockerFailure === "fail" ? "waits" : "stuck";
    case "blocked_by":
      return rootCause?.reason.kind === "no_worker" ? "stuck" : "waits";
    case "workers_full":
    case "behind":
    case "due_and_free":
      return "will_run";
    default:
      return "waits";
  }
};

const earliestOf = (
  job: StateJob,
  deciding: Reason | undefined,
  { now }: Evidence,
): Date | null => {
  switch (deciding?.kind) {
    case "scheduled":
      return deciding.at;
    case "paused":
    case "key_paused":
      return deciding.until;
    case "worker_gone":
      return job.leasedUntil;
    case "workers_full":
    case "behind":
    case "due_and_free":
    case "lease_expired":
      return now;
    default:
      return null;
  }
};

const invisible = (id: string, { now, unknown }: Evidence): Explanation => {
  const text =
    `No job has the id ${id}. It was deleted, it is in another store, ` +
    "or the transaction that created it has not committed.";
  return {
    jobId: id,
    sequenceId: null,
    typeName: null,
    status: null,
    at: now,
    verdict: "stuck",
    headline: text,
    reasons: [{ kind: "invisible", text }],
    rootCause: null,
    runsAt: { earliest: null, estimate: null },
    remedies: [],
    unknown,
  };
};
