import { bulkBatch } from "../load/errand-types.ts";
import { errandAcquisitions } from "./errand-acquisitions.ts";
import type { ErrandsBegan } from "./errand-history.ts";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";

const batchesOf = (history: History): readonly ErrandsBegan[] =>
  entriesOf(history, "errandsBegan").filter(({ typeName }) => typeName === "bulk");

/** No batch is larger than its most, and no job is in it twice. */
export const checkBatchSizes: Check = (history) =>
  batchesOf(history).flatMap(({ call, attempts }): Violation[] => {
    const ids = new Set(attempts.map(({ jobId }) => jobId));
    if (attempts.length <= bulkBatch.maxSize && ids.size === attempts.length) return [];
    return [{ rule: "a batch has at most its size", detail: `${call}: ${attempts.length} jobs` }];
  });

/**
 * Jobs are taken together when enough are due, or one has been due for long enough. The jobs of one acquisition have one time. Of
 * an acquisition whose jobs have not all begun, nothing is said.
 */
export const checkRipeBatches: Check = (history) => {
  const { minSize, maxWaitMs } = bulkBatch;
  const begun = new Map(
    batchesOf(history).flatMap(({ process, attempts }) =>
      attempts.map((one) => [`${one.jobId}/${one.leaseVersion}`, { ...one, process }] as const),
    ),
  );
  const taken = errandAcquisitions(history).filter(({ typeName }) => typeName === "bulk");
  const lost = new Set(
    taken.filter((one) => !begun.has(`${one.jobId}/${one.leaseVersion}`)).map(({ at }) => at),
  );
  const together = groupBy([...begun.values()], (one) => `${one.process}/${one.acquiredAt}`);
  return [...together.values()].flatMap((jobs): Violation[] => {
    const [first] = jobs;
    if (first === undefined || jobs.length >= minSize || lost.has(first.acquiredAt)) return [];
    const waitedMs = Math.max(...jobs.map((job) => job.acquiredAt - job.scheduledAt));
    if (waitedMs >= maxWaitMs - history.toleranceMs - 1) return [];
    const detail = `${first.process} at ${first.acquiredAt}: ${jobs.length} after ${waitedMs} ms`;
    return [{ rule: "a batch is taken when it is ripe", detail }];
  });
};
