// A job as operators see it: payloads are cut and redacted, and a reason is given without a query.
import type { StoredAttempt } from "../../adapters/operator-store.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobStatus } from "../../model/status.ts";
import type { Evidence } from "../explain/evidence.ts";
import type { JobProgress, ReasonKind } from "../../public-types/explanation.ts";
import { ownReasons } from "../explain/own-reasons.ts";
import type { Viewer } from "../search/search.ts";

/** A job as operators see it: secret values are hidden. */
export interface JobView {
  readonly id: string;
  readonly typeName: string;
  readonly sequenceId: string;
  readonly sequenceTypeName: string;
  readonly rootSequenceId: string;
  readonly originId: string | null;
  readonly position: number;
  readonly ordinal: number;
  readonly status: JobStatus;
  readonly priority: number;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly scheduledAt: Date;
  readonly lastAttemptAt: Date | null;
  readonly finishedAt: Date | null;
  readonly leasedBy: string | null;
  readonly leasedUntil: Date | null;
  readonly completedBy: string | null;
  readonly continuedToId: string | null;
  readonly deduplicationKey: string | null;
  /** The trace that stored it. Null: it was not traced. */
  readonly traceId: string | null;
  readonly input: PayloadHead;
  /** Null: there is none. */
  readonly output: PayloadHead | null;
  /** The last error. Null: there is none. */
  readonly error: PayloadHead | null;
  /** The reason that decides, without a look at blockers. */
  readonly why: { readonly kind: ReasonKind; readonly text: string };
}

/** A job with its history. */
export interface JobDetail extends JobView {
  /** The attempts that did not complete it, oldest first. Null: the store does not keep them. */
  readonly attempts: readonly StoredAttempt[] | null;
  /** How far the newest attempt says that it is. Null: it does not say, or it succeeded. */
  readonly progress: JobProgress | null;
}

/** The beginning of a text. */
export interface PayloadHead {
  readonly text: string;
  /** Characters of the stored text. */
  readonly length: number;
  readonly isCut: boolean;
}

/** Lists show so much of a payload. */
export const headLength = 256;

/** A job as a list shows it. `lengthMax`: characters of each payload. */
export const toJobView = (
  job: StateJob,
  evidence: Evidence,
  { view, redaction }: Viewer,
  lengthMax: number = headLength,
): JobView => {
  const payload = (text: string, field: "input" | "output"): PayloadHead => {
    const shown = redaction.show(text, { typeName: job.typeName, field }, view);
    return toPayloadHead(shown, lengthMax, text.length);
  };
  const [why] = ownReasons(job, evidence);
  return {
    id: job.id,
    typeName: job.typeName,
    sequenceId: job.sequenceId,
    sequenceTypeName: job.sequenceTypeName,
    rootSequenceId: job.rootSequenceId,
    originId: job.originId,
    position: job.position,
    ordinal: job.ordinal,
    status: job.status,
    priority: job.priority,
    attempt: job.attempt,
    createdAt: job.createdAt,
    scheduledAt: job.scheduledAt,
    lastAttemptAt: job.lastAttemptAt,
    finishedAt: job.finishedAt,
    leasedBy: job.leasedBy,
    leasedUntil: job.leasedUntil,
    completedBy: job.completedBy,
    continuedToId: job.continuedToId,
    deduplicationKey: job.deduplicationKey,
    traceId: /\b00-([0-9a-f]{32})-/.exec(job.traceContext ?? "")?.[1] ?? null,
    input: payload(job.input, "input"),
    output: job.output === null ? null : payload(job.output, "output"),
    error:
      job.lastAttemptError === null
        ? null
        : toPayloadHead(job.lastAttemptError, lengthMax, job.lastAttemptError.length),
    why: { kind: why?.kind ?? "invisible", text: why?.text ?? "" },
  };
};

/** The beginning of a text as it may be shown. `length`: of the stored text. */
export const toPayloadHead = (text: string, lengthMax: number, length: number): PayloadHead => ({
  text: text.slice(0, lengthMax),
  length,
  isCut: text.length > lengthMax,
});
