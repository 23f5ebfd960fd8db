import { type RetryFailedResult, retryInRounds, type StateJob } from "queuert/internal";
import { expect, it } from "vitest";

/** A job named n waits for the sequence n - 1, and is refused until that is retried. */
const chainOf = (length: number) => {
  const retried = new Set<string>();
  let asked = 0;
  const retry = (id: string): RetryFailedResult => {
    asked++;
    if (Number(id) >= length) return { kind: "refused", reason: "not_found" };
    if (retried.has(id)) return { kind: "refused", reason: "not_failed" };
    const blocker = String(Number(id) - 1);
    if (blocker !== "-1" && !retried.has(blocker)) {
      return { kind: "refused", reason: "blocker_failed", bySequenceId: blocker };
    }
    retried.add(id);
    // The examined fields of a job.
    return { kind: "retried", job: { id, sequenceId: id } as StateJob };
  };
  return { retry, askedCount: () => asked };
};

it("tries each refused job again once for each of its blockers, in any order", () => {
  const { retry, askedCount } = chainOf(1_000);
  const ids = Array.from({ length: 1_000 }, (_, index) => String(999 - index));
  expect(retryInRounds(ids, retry).every(({ kind }) => kind === "retried")).toBe(true);
  expect(askedCount()).toBeLessThan(2_000);
});

it("answers for each place, also where a job is given twice or its blocker is not given", () => {
  const { retry } = chainOf(3);
  const answers = retryInRounds(["1", "1", "7", "0"], retry).map((result) =>
    result.kind === "retried" ? "retried" : result.reason,
  );
  expect(answers).toEqual(["retried", "not_failed", "not_found", "retried"]);
  const alone = chainOf(3);
  expect(retryInRounds(["2", "1"], alone.retry)).toEqual([
    { kind: "refused", reason: "blocker_failed", bySequenceId: "1" },
    { kind: "refused", reason: "blocker_failed", bySequenceId: "0" },
  ]);
});
