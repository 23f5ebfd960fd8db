// The reasons of a running job: its worker, its lease, and the report of its attempt.
import type { StoredWorker } from "../../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { escapeControls } from "../../model/describe-error.ts";
import { duration } from "../../model/duration-text.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobProgress, Reason, ReasonOf } from "../../public-types/explanation.ts";
import { redactedText } from "../redact/redact-errors.ts";
import { parseLines, toJobProgress } from "../views/job-log.ts";
import { type Evidence, liveWorkersOf, newestReport, presenceOf } from "./evidence.ts";
import type { ReportedText } from "./explain.ts";

/** The report of a running attempt. */
export interface RunEvidence {
  readonly progress?: JobProgress | null;
  readonly logTail?: readonly string[];
}

/** `logTail`: how many of the last lines are read. */
export const gatherRun = async (
  { operator }: AnyStateAdapter,
  job: StateJob,
  { logTail, redactText }: ReportedText,
): Promise<RunEvidence> => {
  const [stored] = (await operator?.listProgress?.({ jobIds: [job.id] })) ?? [];
  const chunks =
    logTail === 0 ? [] : ((await operator?.listLogs?.({ jobId: job.id, after: null })) ?? []);
  const lines = chunks
    .filter(({ leaseVersion }) => leaseVersion === job.leaseVersion)
    .flatMap((chunk) => parseLines(chunk.lines))
    .slice(-logTail);
  return {
    progress: toJobProgress(job, stored, { redactText }),
    logTail: lines.map(({ message }) => redactedText(redactText, message)),
  };
};

const timeoutOf = ({ typeName }: StateJob, report: StoredWorker | undefined): number | null =>
  report?.types.find((type) => type.typeName === typeName)?.timeoutMs ?? null;

const progressText = (progress: JobProgress | null): string => {
  if (progress === null) return "";
  const { fraction, note } = progress;
  const parts = [fraction === null ? [] : `${Math.round(fraction * 100)} %`, note ?? []].flat();
  return parts.length === 0 ? "" : ` It says: ${escapeControls(parts.join(", "))}.`;
};

/** Of a running job. The worker's report has the limit of its type; the store has the progress of its attempt. */
export const running = (
  job: StateJob,
  evidence: Evidence,
  { progress = null, logTail = [] }: RunEvidence = {},
): Reason => {
  const { now } = evidence;
  const workerId = job.leasedBy ?? "";
  const leaseRemainingMs = (job.leasedUntil ?? now).getTime() - now.getTime();
  if (leaseRemainingMs <= 0) return leaseExpired(job, evidence, Math.abs(leaseRemainingMs));
  const report = newestReport(workerId, evidence);
  const worker = report === undefined ? "unknown" : presenceOf(report, now);
  const forMs = now.getTime() - (job.lastAttemptAt ?? now).getTime();
  if (worker === "gone" && report !== undefined) {
    return {
      kind: "worker_gone",
      workerId,
      lastBeatAt: report.beatAt,
      leaseRemainingMs,
      text:
        `Worker ${workerId} has not reported for ${duration(now.getTime() - report.beatAt.getTime())}. ` +
        `Its lease expires in ${duration(leaseRemainingMs)}, and then another worker runs the job.`,
    };
  }
  const timeoutMs = timeoutOf(job, report);
  const until = timeoutMs === null ? "" : `, of at most ${duration(timeoutMs)},`;
  return {
    ...{ kind: "running", workerId, worker, forMs, leaseRemainingMs, timeoutMs, progress, logTail },
    text: `It has been running for ${duration(forMs)}${until} on worker ${workerId}.${progressText(progress)}`,
  };
};

const leaseExpired = (
  job: StateJob,
  evidence: Evidence,
  expiredForMs: number,
): ReasonOf<"lease_expired"> => {
  const liveWorkers = liveWorkersOf(job.typeName, evidence)?.length ?? null;
  const next =
    liveWorkers === 0
      ? "No live worker implements its type."
      : "The next worker of its type with room acquires it.";
  return {
    kind: "lease_expired",
    workerId: job.leasedBy ?? "",
    expiredForMs,
    liveWorkers,
    text: `The lease of worker ${job.leasedBy ?? ""} expired ${duration(expiredForMs)} ago. ${next}`,
  };
};
