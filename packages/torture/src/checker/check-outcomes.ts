import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, externalLease, type Violation } from "./history.ts";
import { isErrandRow } from "./errand-history.ts";
import { deletedRoots, endsOf, type SequenceEnd } from "./sequence-end.ts";
import { pathOf, planOf } from "./stored-plan.ts";
import { usesCallback, writesRow } from "../load/plan.ts";

/** User rows match outcomes one to one: each written by the attempt that completed its job, and by no other. */
export const checkRows: Check = (history) => {
  const { jobs } = history;
  const rows = history.rows.filter((row) => !isErrandRow(row));
  const violations: Violation[] = [];
  const byJob = groupBy(rows, ({ jobId }) => jobId);
  const known = new Map(jobs.map((job) => [job.id, job]));
  for (const job of jobs) {
    const own = byJob.get(job.id) ?? [];
    const isByWorker = job.completedBy !== null;
    const isExpected = job.status === "completed" && (!isByWorker || writesRow(planOf(job)));
    if (own.length !== Number(isExpected)) {
      violations.push({
        rule: "a user row for each outcome, and none besides",
        detail: `${pathOf(job)} (${job.status}): ${own.length} rows, not ${Number(isExpected)}`,
      });
    }
    const lease = isByWorker ? job.leaseVersion : externalLease;
    for (const row of isExpected ? own : []) {
      if (row.leaseVersion === lease) continue;
      violations.push({
        rule: "the row is of the attempt that completed the job",
        detail: `${row.path}: row of lease ${row.leaseVersion}, completed under ${lease}`,
      });
    }
  }
  // Rows of a tree that was deleted stay: they are the user's.
  const deletedAny = deletedRoots(history).size > 0;
  const orphans = rows.filter(({ jobId, path }) => {
    if (known.has(jobId)) return false;
    const root = path.split(".")[0] ?? "";
    const started = entriesOf(history, "started").find((entry) => entry.path === root);
    if (started === undefined) return !deletedAny;
    return !deletedRoots(history).has(started.sequenceId);
  });
  for (const { jobId, path } of orphans) {
    violations.push({ rule: "no row without a job", detail: `${path}, job ${jobId}` });
  }
  return violations;
};

/** Tokens only grow: no two attempts of a job began under the same one, and none after the one that settled it. */
export const checkTokens: Check = (history) => {
  const violations: Violation[] = [];
  const settled = new Map(history.jobs.map((job) => [job.id, job.leaseVersion]));
  const seen = new Set<string>();
  for (const entry of entriesOf(history, "began")) {
    const key = `${entry.jobId} under lease ${entry.leaseVersion}`;
    if (seen.has(key))
      violations.push({ rule: "each attempt has a token of its own", detail: key });
    seen.add(key);
    if (entry.leaseVersion > (settled.get(entry.jobId) ?? Number.POSITIVE_INFINITY)) {
      violations.push({ rule: "no attempt is newer than the stored token", detail: key });
    }
  }
  return violations;
};

/** A worker had begun each job that it completed, under the lease version that is stored. */
export const checkCompleters: Check = (history) => {
  const violations: Violation[] = [];
  const begun = new Map(
    entriesOf(history, "began").map((entry) => [`${entry.jobId}/${entry.leaseVersion}`, entry]),
  );
  const byId = new Map(history.jobs.map((job) => [job.id, job]));
  for (const job of history.jobs) {
    if (job.status !== "completed" || job.completedBy === null) continue;
    const attempt = begun.get(`${job.id}/${job.leaseVersion}`);
    if (attempt?.process !== job.completedBy) {
      violations.push({
        rule: "the completer of a job had begun it",
        detail: `${pathOf(job)}: ${job.completedBy}, lease ${job.leaseVersion}`,
      });
    }
  }
  violations.push(...checkStored(history));
  for (const { jobId } of entriesOf(history, "completedExternally")) {
    const job = byId.get(jobId);
    if (job === undefined || (job.status === "completed" && job.completedBy === null)) continue;
    violations.push({
      rule: "a completion without a worker stands",
      detail: `${pathOf(job)} is ${job.status}, by ${job.completedBy}`,
    });
  }
  return violations;
};

/** The process function had returned the stored outcome, and ended, before it was stored. */
const checkStored: Check = (history) => {
  const { jobs, toleranceMs } = history;
  const ended = new Map(
    entriesOf(history, "ended").map((entry) => [`${entry.jobId}/${entry.leaseVersion}`, entry]),
  );
  return jobs.flatMap((job): Violation[] => {
    if (job.status !== "completed" || job.completedBy === null) return [];
    const end = ended.get(`${job.id}/${job.leaseVersion}`);
    if (end?.how !== "completed") {
      const detail = `${pathOf(job)}, lease ${job.leaseVersion}: ${end?.how ?? "never ended"}`;
      return [{ rule: "only an outcome that a process function returned is stored", detail }];
    }
    // In a callback's transaction it is written earlier, and stands only with the commit.
    if (usesCallback(planOf(job))) return [];
    const earlyMs = Math.floor(end.at) - (job.finishedAt?.getTime() ?? 0) - toleranceMs;
    if (earlyMs <= 0) return [];
    const detail = `${pathOf(job)}: ${Math.round(earlyMs)} ms before`;
    return [{ rule: "nothing is stored before the process function has ended", detail }];
  });
};

/** A sequence that has failed may still be cancelled. Its last attempt has an error then. */
const wasFailed = (end: SequenceEnd | undefined): boolean =>
  end?.isCancelled === true && end.last.lastAttemptError !== null;

/** Each waiter for a sequence received the outcome that is stored. */
export const checkAwaited: Check = (history) => {
  const ends = endsOf(history);
  const retried = new Set(entriesOf(history, "retrying").map(({ sequenceId }) => sequenceId));
  const deleted = deletedRoots(history);
  return entriesOf(history, "awaited").flatMap(({ sequenceId, how, path }) => {
    const end = ends.get(sequenceId);
    if (end === undefined && deleted.has(sequenceId)) return [];
    const isTrue =
      how === "failed"
        ? end?.isFailed === true || retried.has(sequenceId) || wasFailed(end)
        : how === "cancelled"
          ? end?.isCancelled === true
          : end?.isCompleted === true && pathOf(end.last) === path;
    if (isTrue) return [];
    return [
      { rule: "waiters receive the stored outcome", detail: `${sequenceId}: ${how}, ${path}` },
    ];
  });
};
