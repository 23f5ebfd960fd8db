// The user's own transaction without a `withNotify`, or with one that threw: core does not learn of its commit. A few queries
// then ask the store for all unconfirmed writes at once. The effects of a write go out when the store shows it. So a
// forgotten `withNotify` costs milliseconds, not a poll interval. A write that never appears was rolled back.
import type { StateAdapter } from "../adapters/state-adapter.ts";
import type { Clock, TimerHandle } from "../async/clock.ts";
import type { StateJob } from "../model/state-job.ts";
import type { Effects } from "./open-transactions.ts";

/** The sign in the store that the effects of a call may go out. */
export interface CommitEvidence {
  readonly operation: string;
  /** A job that the call has written. The others are in the same transaction. */
  readonly jobId: string;
  /** How many jobs it has written. */
  readonly jobCount: number;
  /** Whether this stored job (undefined: none) shows that the write has been committed. */
  readonly isConfirmedBy: (job: StateJob | undefined) => boolean;
}

export interface UnconfirmedCommits {
  add(evidence: CommitEvidence, effects: Effects): void;
  close(): void;
}

/** When the store is asked, counted from the write. A longer transaction leaves its jobs to the polling of workers. */
const queryAfterMs = [20, 100, 300, 1_000, 3_000, 10_000, 30_000] as const;

interface Entry extends CommitEvidence {
  readonly effects: Effects;
  queryCount: number;
  dueAt: number;
}

type Store = Pick<StateAdapter<object, object, string>, "getJobs">;

/** `state` reports its own errors. A failed query is repeated at the next due time. */
export const createUnconfirmedCommits = (state: Store, clock: Clock): UnconfirmedCommits => {
  let entries: Entry[] = [];
  let timer: TimerHandle | null = null;
  let isClosed = false;

  const schedule = (): void => {
    if (timer !== null || isClosed || entries.length === 0) return;
    const dueAt = Math.min(...entries.slice(0, 1_000).map((entry) => entry.dueAt));
    timer = clock.setTimeout(() => void query(), Math.max(1, dueAt - clock.now()));
    // Hints must not keep a process alive.
    (timer as { unref?: () => void }).unref?.();
  };

  const query = async (): Promise<void> => {
    const now = clock.now();
    const due = entries.filter((entry) => entry.dueAt <= now);
    entries = entries.filter((entry) => entry.dueAt > now);
    // `state` has reported the error. The next query asks again.
    const jobs = await state.getJobs({ ids: due.map((entry) => entry.jobId) }).catch(() => null);
    due.forEach((entry, index) => {
      if (isClosed) entry.effects.discard();
      else if (jobs !== null && entry.isConfirmedBy(jobs[index])) entry.effects.flush();
      else postpone(entry);
    });
    timer = null;
    schedule();
  };

  const postpone = (entry: Entry): void => {
    const before = queryAfterMs[entry.queryCount] ?? 0;
    const next = queryAfterMs[++entry.queryCount];
    if (next === undefined) return entry.effects.discard();
    entry.dueAt += next - before;
    entries.push(entry);
  };

  return {
    add: (evidence, effects) => {
      if (isClosed) return effects.discard();
      entries.push({ ...evidence, effects, queryCount: 0, dueAt: clock.now() + queryAfterMs[0] });
      schedule();
    },
    close: () => {
      isClosed = true;
      if (timer !== null) clock.clearTimeout(timer);
      for (const entry of entries) entry.effects.discard();
      entries = [];
    },
  };
};
