// A job that fails with its blockers is refused while one of them is failed. Given together with the blocker it comes
// back after it, in whatever order the two are given: so the refused ones are asked again until nothing changes.
import type { RetryFailedResult } from "../adapters/state-adapter-params.ts";

type Results = ReadonlyMap<number, RetryFailedResult>;

const isPostponed = (result: RetryFailedResult | undefined): boolean =>
  result === undefined || (result.kind === "refused" && result.reason === "blocker_failed");

const countRetried = (results: Results): number =>
  [...results.values()].filter(({ kind }) => kind === "retried").length;

/** Whom to decide about next, by place; the caller adds each decision to `results`. */
export function* retryRounds(
  ids: readonly string[],
  results: Results,
): Generator<readonly [index: number, id: string]> {
  let before: number;
  do {
    before = countRetried(results);
    for (const [index, id] of ids.entries()) if (isPostponed(results.get(index))) yield [index, id];
  } while (countRetried(results) > before);
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
