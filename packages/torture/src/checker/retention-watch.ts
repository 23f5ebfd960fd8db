// Every job of a run as it was last seen, with its blockers. Retention deletes while the run lasts,
// and a deleted job is judged by its last seen state.
import type { AnyStateAdapter, BlockerEdge, StateJob } from "queuert";
import { listAllJobs } from "../load/list-all-jobs.ts";
import { type HistoryEntry, entriesOf, type RemovedJob } from "./history.ts";

type Looked = Pick<AnyStateAdapter, "listJobs" | "listBlockerEdges">;

const idsMax = 500;

const keyOf = ({ jobId, index, blockerSequenceId }: BlockerEdge): string =>
  `${jobId}/${index}/${blockerSequenceId}`;

export interface SeenStore {
  /** Those that are stored, and those that retention took. */
  readonly jobs: readonly StateJob[];
  readonly edges: readonly BlockerEdge[];
  readonly removed: readonly RemovedJob[];
}

export class RetentionWatch {
  readonly #typeNames: readonly string[];
  readonly #jobs = new Map<string, StateJob>();
  readonly #edges = new Map<string, BlockerEdge>();
  readonly #seenAt = new Map<string, number>();
  readonly #missedAt = new Map<string, number>();

  constructor(typeNames: readonly string[]) {
    this.#typeNames = typeNames;
  }

  /** One look: at every job, and at the edges of those that have ended since the last. */
  async look(state: Looked, now: () => number): Promise<void> {
    const askedAt = now();
    const jobs = await listAllJobs(state, this.#typeNames);
    const answeredAt = now();
    const ended = jobs.filter(({ id, status }) => this.#jobs.get(id)?.status !== status);
    await this.#lookAtEdges(state, ended);
    for (const job of jobs) {
      this.#jobs.set(job.id, job);
      this.#seenAt.set(job.id, askedAt);
    }
    for (const [id, seenAt] of this.#seenAt) {
      if (seenAt === askedAt) this.#missedAt.delete(id);
      else if (!this.#missedAt.has(id)) this.#missedAt.set(id, answeredAt);
    }
  }

  async #lookAtEdges(state: Looked, jobs: readonly StateJob[]): Promise<void> {
    const ids = [...new Set(jobs.map(({ sequenceId }) => sequenceId))];
    for (let from = 0; from < ids.length; from += idsMax) {
      const edges = await state.listBlockerEdges({ ids: ids.slice(from, from + idsMax) });
      for (const edge of edges) this.#edges.set(keyOf(edge), edge);
    }
  }

  /** After the last query. Without the trees that a call has deleted. */
  seen(entries: readonly HistoryEntry[]): SeenStore {
    const deleted = new Set(
      entriesOf({ entries }, "deleting").map(({ rootSequenceId }) => rootSequenceId),
    );
    const jobs = [...this.#jobs.values()].filter(
      ({ id, rootSequenceId }) => !this.#missedAt.has(id) || !deleted.has(rootSequenceId),
    );
    const known = new Set(jobs.map(({ id }) => id));
    return {
      jobs: jobs.toSorted((one, other) => one.ordinal - other.ordinal),
      edges: [...this.#edges.values()].filter(({ jobId }) => known.has(jobId)),
      removed: jobs.flatMap(({ id: jobId }): RemovedJob[] => {
        const [seenAt, missedAt] = [this.#seenAt.get(jobId), this.#missedAt.get(jobId)];
        return seenAt === undefined || missedAt === undefined ? [] : [{ jobId, seenAt, missedAt }];
      }),
    };
  }
}
