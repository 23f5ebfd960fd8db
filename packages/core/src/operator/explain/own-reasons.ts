// The reasons that follow from the row of a job and from the facts of the moment, without a query. Lists use them for each of
// their rows. The order: finished, running, scheduled, paused, limited, no worker, full, behind, free.
import type { JobLock, JobsAhead } from "../../adapters/operator-reads.ts";
import type { StoredWorker } from "../../adapters/operator-store.ts";
import { nearNames } from "../../model/assert-known-options.ts";
import type { StatePause } from "../../adapters/state-adapter-params.ts";
import { escapeControls } from "../../model/describe-error.ts";
import { cancelReasonOf } from "../../model/job.ts";
import type { StateJob } from "../../model/state-job.ts";
import { type Evidence, liveWorkersOf, presenceOf } from "./evidence.ts";
import { full } from "./full.ts";
import type { Reason, ReasonOf } from "../../public-types/explanation.ts";
import { duration } from "../../model/duration-text.ts";
import { type KeyEvidence, limited, underKey } from "./keys.ts";
import { running, type RunEvidence } from "./running.ts";
import { countOf, firstLine } from "./words.ts";

/** Facts that are asked for one job only. */
interface Probed {
  readonly ahead?: JobsAhead | undefined;
  readonly lock?: JobLock | undefined;
  readonly key?: KeyEvidence | undefined;
  readonly batch?: ReasonOf<"batch_not_ripe"> | undefined;
  readonly run?: RunEvidence | undefined;
  readonly full?: ReasonOf<"workers_full"> | undefined;
}

/** All reasons of the row that hold, the deciding one first. Blockers are left to `blocked.ts`. */
export const ownReasons = (
  job: StateJob,
  evidence: Evidence,
  probed: Probed = {},
): readonly Reason[] => {
  switch (job.status) {
    case "completed":
      return [completed(job, evidence)];
    case "failed":
      return [failed(job, evidence)];
    case "cancelled":
      return [cancelled(job, evidence)];
    case "running":
      return runningReasons(job, evidence, probed);
    case "blocked":
      return [blocked(job)];
    case "pending":
      return pendingReasons(job, evidence, probed);
  }
};

/** Without the blockers: `blocked.ts` names them. */
const blocked = ({ blockedUntil: until }: StateJob): ReasonOf<"blocked_by"> => ({
  kind: "blocked_by",
  open: [],
  done: [],
  until,
  text: "It waits for a blocker.",
});

const completed = (job: StateJob, { now }: Evidence): ReasonOf<"completed"> => {
  const { finishedAt, completedBy, continuedToId } = job;
  const by = completedBy === null ? "without a worker" : `by worker ${completedBy}`;
  const next = continuedToId === null ? "" : " and continued";
  return {
    kind: "completed",
    at: finishedAt,
    workerId: completedBy,
    continuedToId,
    text: `It completed${next} ${agoOf(finishedAt, now)} ${by}.`,
  };
};

const failed = (job: StateJob, { now }: Evidence): ReasonOf<"failed"> => {
  const error = firstLine(job.lastAttemptError);
  return {
    kind: "failed",
    at: job.finishedAt,
    attempts: job.attempt,
    error,
    text: `It failed ${agoOf(job.finishedAt, now)} after ${countOf(job.attempt, "attempt")}: ${error}`,
  };
};

const cancelled = (job: StateJob, { now }: Evidence): ReasonOf<"cancelled"> => {
  const reason = cancelReasonOf(job);
  const because = reason === null ? "" : `: ${reason}`;
  return {
    kind: "cancelled",
    at: job.finishedAt,
    reason,
    text: `It was cancelled ${agoOf(job.finishedAt, now)}${because}.`,
  };
};

/** A lost job of a paused type is not acquired either. */
const runningReasons = (
  job: StateJob,
  evidence: Evidence,
  { key, batch, run }: Probed,
): readonly Reason[] => {
  const reason = running(job, evidence, run);
  if (reason.kind !== "lease_expired") return [reason];
  return [
    ...paused(job.typeName, key, evidence),
    ...underKey(key, evidence, undefined),
    ...(batch === undefined ? [] : [batch]),
    reason,
  ];
};

/** The pauses that hold the type up, or the limit of the job, the longest first. */
const paused = (
  typeName: string,
  key: KeyEvidence | undefined,
  { pauses, now }: Evidence,
): readonly ReasonOf<"paused">[] =>
  pauses
    .filter((one) => [null, typeName, key?.key.limitName].includes(one.typeName))
    .sort((left, right) => endOf(right) - endOf(left))
    .map(({ typeName: jobType, pausedAt, until, note }) => {
      const named = jobType === typeName ? "The job type" : "The limit";
      const scope = jobType === null ? "Every job type" : `${named} ${jobType}`;
      const left = until === null ? "" : ` for ${duration(until.getTime() - now.getTime())} more`;
      const because = note === null ? "" : `: ${note}`;
      const text = `${scope} was paused ${agoOf(pausedAt, now)}${left}${because}.`;
      return { kind: "paused", jobType, since: pausedAt, until, note, text };
    });

const endOf = ({ until }: StatePause): number => until?.getTime() ?? Infinity;

const pendingReasons = (
  job: StateJob,
  evidence: Evidence,
  { ahead, lock, key, batch, full: probedFull }: Probed,
): readonly Reason[] => {
  const { now } = evidence;
  const live = liveWorkersOf(job.typeName, evidence);
  const missing = live?.length === 0 ? [noWorker(job.typeName, evidence)] : [];
  const inMs = job.scheduledAt.getTime() - now.getTime();
  const held = paused(job.typeName, key, evidence);
  if (inMs > 0) return [scheduled(job, inMs), ...held, ...missing];
  const waiting = [
    ...held,
    // A limit of the type's own name is in both.
    ...(key?.key.limitName === job.typeName ? [] : limited(job.typeName, evidence)),
    ...underKey(key, evidence, ahead),
    ...(batch === undefined ? [] : [batch]),
    ...locked(lock),
    ...missing,
    ...(probedFull === undefined ? full(live) : [probedFull]),
    ...behind(ahead, key),
  ];
  return waiting.length > 0 ? waiting : [dueAndFree(Math.abs(inMs), live)];
};

const scheduled = (job: StateJob, inMs: number): ReasonOf<"scheduled"> => {
  const lastError = job.lastAttemptError === null ? null : firstLine(job.lastAttemptError);
  const because = whyScheduled(job);
  const opening = {
    start: `It is scheduled in ${duration(inMs)}.`,
    retry: `It is retried in ${duration(inMs)}, after ${countOf(job.attempt, "attempt")}: ${lastError}`,
    rescheduled: `Its handler rescheduled it; it is due in ${duration(inMs)}.`,
  };
  return {
    kind: "scheduled",
    at: job.scheduledAt,
    inMs,
    because,
    attempt: job.attempt,
    lastError,
    text: opening[because],
  };
};

const whyScheduled = (job: StateJob): "start" | "retry" | "rescheduled" => {
  if (job.leaseVersion === 0) return "start";
  return job.attempt > 0 && job.lastAttemptError !== null ? "retry" : "rescheduled";
};

const noWorker = (typeName: string, { workers, now }: Evidence): ReasonOf<"no_worker"> => {
  const implementing = (workers ?? [])
    .filter((worker) => worker.types.some((type) => type.typeName === typeName))
    .sort((left, right) => right.beatAt.getTime() - left.beatAt.getTime());
  const [last] = implementing;
  const liveNames = new Set(
    (workers ?? [])
      .filter((worker) => presenceOf(worker, now) !== "gone")
      .flatMap(({ types }) => types.map((type) => type.typeName)),
  );
  const nearTypeNames = nearNames(typeName, liveNames);
  const seen =
    last === undefined
      ? ""
      : ` The last was ${last.workerId}, ${duration(now.getTime() - last.beatAt.getTime())} ago.`;
  const near =
    last === undefined && nearTypeNames[0] !== undefined
      ? ` A live worker implements "${nearTypeNames[0]}".`
      : "";
  return {
    kind: "no_worker",
    typeName,
    lastWorkerId: last?.workerId ?? null,
    lastSeenAt: last?.beatAt ?? null,
    nearTypeNames,
    text: `No live worker implements ${typeName}.${seen}${near}`,
  };
};

const locked = (lock: JobLock | undefined): readonly ReasonOf<"locked">[] => {
  if (lock === undefined) return [];
  const { pid, application, forMs } = lock;
  const name = application === "" ? "" : ` of "${escapeControls(application)}"`;
  const since = forMs === null ? "" : `, open for ${duration(forMs)},`;
  const text = `A transaction${name} (pid ${pid})${since} has locked it, and acquisitions skip it.`;
  return [{ kind: "locked", ...lock, text }];
};

const behind = (
  ahead: JobsAhead | undefined,
  key: KeyEvidence | undefined,
): readonly ReasonOf<"behind">[] => {
  if (ahead === undefined || ahead.ahead === 0) return [];
  const count = `${ahead.isAtLeast ? "at least " : ""}${countOf(ahead.ahead, "due job")}`;
  return [
    {
      kind: "behind",
      ...ahead,
      text: `${key === undefined ? "In its type" : "Under its key"}, ${count} come before it.`,
    },
  ];
};

const dueAndFree = (
  dueForMs: number,
  live: readonly StoredWorker[] | null,
): ReasonOf<"due_and_free"> => ({
  kind: "due_and_free",
  dueForMs,
  liveWorkers: live?.length ?? null,
  text:
    live === null
      ? `It has been due for ${duration(dueForMs)}; the next worker of its type with room acquires it.`
      : `It has been due for ${duration(dueForMs)}, and ${countOf(live.length, "live worker")} may acquire it at any moment.`,
});

const agoOf = (at: Date | null, now: Date): string =>
  at === null ? "before" : `${duration(now.getTime() - at.getTime())} ago`;
