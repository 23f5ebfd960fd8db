// A job with `onBlockerFailure: "fail"` is refused while one of its blockers is failed. If both are given in one call, in
// either order, a refused job is decided again when its blocker has been retried.
import type { RetryFailedResult } from "../adapters/state-adapter-params.ts";

type Results = ReadonlyMap<number, RetryFailedResult>;

/** Yields the next job to decide, by its index. The caller adds each decision to `results`. */
export function* retryRounds(
  ids: readonly string[],
  results: Results,
): Generator<readonly [index: number, id: string]> {
  // Refused jobs by the failed sequence. A new decision about all of them in every round would cost the square.
  const refusedFor = new Map<string, (readonly [number, string])[]>();
  const queue: (readonly [number, string])[] = [...ids.entries()];
  // The queue grows during the loop.
  for (const entry of queue) {
    yield entry;
    const result = results.get(entry[0]);
    if (result?.kind === "retried") {
      const { sequenceId } = result.job;
      for (const refused of refusedFor.get(sequenceId) ?? []) queue.push(refused);
      refusedFor.delete(sequenceId);
    } else if (result?.reason === "blocker_failed") {
      const others = refusedFor.get(result.bySequenceId);
      if (others === undefined) refusedFor.set(result.bySequenceId, [entry]);
      else others.push(entry);
    }
  }
}

/** For a store that decides and writes one job after the other. */
export const retryInRounds = (
  ids: readonly string[],
  retry: (id: string) => RetryFailedResult,
): readonly RetryFailedResult[] => {
  const results = new Map<number, RetryFailedResult>();
  for (const [index, id] of retryRounds(ids, results)) results.set(index, retry(id));
  return ids.flatMap((_, index) => results.get(index) ?? []);
};
