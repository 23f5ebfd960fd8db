// A job that fails with its blockers is refused while one of them is failed. Given together with the blocker it comes
// back after it, in whatever order the two are given: so whoever was refused is asked again once that blocker is retried.
import type { RetryFailedResult } from "../adapters/state-adapter-params.ts";

type Results = ReadonlyMap<number, RetryFailedResult>;

/** Whom to decide about next, by place; the caller adds each decision to `results`. */
export function* retryRounds(
  ids: readonly string[],
  results: Results,
): Generator<readonly [index: number, id: string]> {
  // By the failed sequence that each was refused for. Asking all of them in every round would compare each with each.
  const refusedFor = new Map<string, (readonly [number, string])[]>();
  const queue: (readonly [number, string])[] = [...ids.entries()];
  // It grows while it is walked.
  for (const asked of queue) {
    yield asked;
    const result = results.get(asked[0]);
    if (result?.kind === "retried") {
      const { sequenceId } = result.job;
      for (const refused of refusedFor.get(sequenceId) ?? []) queue.push(refused);
      refusedFor.delete(sequenceId);
    } else if (result?.reason === "blocker_failed") {
      const others = refusedFor.get(result.bySequenceId);
      if (others === undefined) refusedFor.set(result.bySequenceId, [asked]);
      else others.push(asked);
    }
  }
}

/** For a store that decides about one after the other, and has written each. */
export const retryInRounds = (
  ids: readonly string[],
  retry: (id: string) => RetryFailedResult,
): readonly RetryFailedResult[] => {
  const results = new Map<number, RetryFailedResult>();
  for (const [index, id] of retryRounds(ids, results)) results.set(index, retry(id));
  return ids.flatMap((_, index) => results.get(index) ?? []);
};
