// Retention: trees that finished long enough ago are deleted, a bounded number of them in each statement.
import { sleep } from "../async/sleep.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertDurationMs } from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";

/** How long finished jobs are kept, by how they have ended. Null: for ever. */
export interface Retention {
  readonly completedForMs: number | null;
  readonly failedForMs: number | null;
  readonly cancelledForMs: number | null;
}

const ages = ["completedForMs", "failedForMs", "cancelledForMs"] as const;

/** Checks the user's options. A status without an age is kept for ever. */
export const toRetention = (
  given: {
    readonly completedForMs?: number | null | undefined;
    readonly failedForMs?: number | null | undefined;
    readonly cancelledForMs?: number | null | undefined;
  },
  option: string,
): Retention => {
  if (typeof given !== "object" || given === null) {
    throw new InvalidOptionError(option, given, "give an object");
  }
  assertKnownOptions(given, [...ages, "intervalMs", "signal"], `${option}.`);
  const { completedForMs = null, failedForMs = null, cancelledForMs = null } = given;
  const retention = { completedForMs, failedForMs, cancelledForMs };
  for (const age of ages) {
    if (retention[age] !== null) assertDurationMs(retention[age], `${option}.${age}`);
  }
  if (ages.every((age) => retention[age] === null)) {
    const remedy =
      "give `completedForMs`, `failedForMs` or `cancelledForMs`: without them nothing is deleted";
    throw new InvalidOptionError(option, given, remedy);
  }
  return retention;
};

/** Deletes until no tree is old enough, or the signal aborts; returns the number of deleted jobs. */
export const deleteFinished = async (
  { state, observer, clock }: Engine,
  retention: Retention,
  signal?: AbortSignal | undefined,
): Promise<number> => {
  const limit = limits.retentionBatchMax;
  let jobCount = 0;
  for (;;) {
    if (signal?.aborted === true) break;
    const begunAt = clock.now();
    const count = await state.deleteFinishedSequences({ ...retention, limit });
    jobCount += count;
    if (count > 0) {
      observer.emit("jobSequencesDeleted", () => ({ rootSequenceIds: [], jobCount: count }));
    }
    // Every tree has a job, so fewer jobs than that are fewer trees than were asked for.
    if (count < limit) break;
    // As long as the statement took: retention uses at most half of the store's time.
    await sleep(clock, Math.max(1, clock.now() - begunAt), signal);
  }
  return jobCount;
};
