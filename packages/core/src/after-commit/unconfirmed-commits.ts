// Work started outside `withNotify` and `transaction`, or in a `withNotify` that has thrown: nobody says whether it commits.
// The store is asked instead, a few times, for all that is unconfirmed in one statement; when a write is seen, its
// notifications and events go out. So a forgotten `withNotify` costs some milliseconds, not a poll interval. A write
// that never shows up was rolled back, and was never observed.
import type { StateAdapter } from "../adapters/state-adapter.ts";
import type { Clock, TimerHandle } from "../async/clock.ts";
import type { StateJob } from "../model/state-job.ts";
import type { Effects } from "./effects.ts";

/** What has to be seen in the store before the effects of a call may be told. */
export interface CommitEvidence {
  readonly operation: string;
  /** One of the jobs that the call has written: the others are in the same transaction. */
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

/** When to look, counted from the write. A transaction open for longer leaves its jobs to the workers' polling. */
const lookAfterMs = [20, 100, 300, 1_000, 3_000, 10_000, 30_000] as const;

interface Entry extends CommitEvidence {
  readonly effects: Effects;
  look: number;
  dueAt: number;
}

type Store = Pick<StateAdapter<object, object, string>, "getJobs">;

/** `state` reports its own errors; a failed look is tried again at the next one. */
export const createUnconfirmedCommits = (state: Store, clock: Clock): UnconfirmedCommits => {
  let entries: Entry[] = [];
  let timer: TimerHandle | null = null;
  let isClosed = false;

  const schedule = (): void => {
    if (timer !== null || isClosed || entries.length === 0) return;
    const dueAt = Math.min(...entries.slice(0, 1_000).map((entry) => entry.dueAt));
    timer = clock.setTimeout(() => void look(), Math.max(1, dueAt - clock.now()));
    // Hints only: they must not keep a process alive.
    (timer as { unref?: () => void }).unref?.();
  };

  const look = async (): Promise<void> => {
    const now = clock.now();
    const due = entries.filter((entry) => entry.dueAt <= now);
    entries = entries.filter((entry) => entry.dueAt > now);
    // No error surfaces here: `state` has reported it, and the next look asks again.
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
    const before = lookAfterMs[entry.look] ?? 0;
    const next = lookAfterMs[++entry.look];
    if (next === undefined) return entry.effects.discard();
    entry.dueAt += next - before;
    entries.push(entry);
  };

  return {
    add: (evidence, effects) => {
      if (isClosed) return effects.discard();
      entries.push({ ...evidence, effects, look: 0, dueAt: clock.now() + lookAfterMs[0] });
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
