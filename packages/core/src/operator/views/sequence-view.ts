// A sequence as operators see it: its first job says how it began, and its current job says how it stands.
import type { StateJob, StateSequence } from "../../model/state-job.ts";
import type { JobStatus } from "../../model/status.ts";
import type { JobView } from "./job-view.ts";

/** A sequence as operators see it. */
export interface SequenceView {
  /** That of its first job. */
  readonly id: string;
  /** The type of its first job. */
  readonly typeName: string;
  readonly rootSequenceId: string;
  /** The job that started it. Null: no job did. */
  readonly originId: string | null;
  /** The status of its current job. */
  readonly status: JobStatus;
  readonly createdAt: Date;
  /** Null: it is not finished. */
  readonly finishedAt: Date | null;
  readonly jobCount: number;
}

/** A sequence of a list. */
export interface ListedSequence extends SequenceView {
  readonly current: JobView;
}

export const toSequenceView = ({ first, current }: StateSequence): SequenceView => ({
  id: first.id,
  typeName: first.typeName,
  rootSequenceId: first.rootSequenceId,
  originId: first.originId,
  status: current.status,
  createdAt: first.createdAt,
  finishedAt: current.finishedAt,
  jobCount: current.position + 1,
});

/** The job that a filter of sequences is compared with: the current one, with the origin, the key and the age of the sequence. */
export const toComparedJob = ({ first, current }: StateSequence): StateJob => ({
  ...current,
  originId: first.originId,
  position: first.position,
  deduplicationKey: first.deduplicationKey,
  createdAt: first.createdAt,
});
