// Why a due job waits for its batch: too few jobs of its type, or of its key, are due, and none for long enough.
import type { StoreCondition } from "../../adapters/job-condition.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { ReasonOf } from "../../public-types/explanation.ts";
import { type Evidence, liveWorkersOf } from "./evidence.ts";
import type { LimitKeyReference } from "../../adapters/state-adapter-limits.ts";
import { duration } from "../../model/duration-text.ts";
import { countOf } from "./words.ts";

/** With more due jobs, no batch is explained: it is ripe, or will be soon. */
const dueMax = 1_000;
const examineMax = 10_000;

/** A batch that no live worker may begin yet. Undefined: one may, or it is not known. */
export const gatherBatch = async (
  { operator }: AnyStateAdapter,
  { typeName }: StateJob,
  /** Undefined: it stands under none. */
  key: LimitKeyReference | undefined,
  evidence: Evidence,
): Promise<ReasonOf<"batch_not_ripe"> | undefined> => {
  const live = liveWorkersOf(typeName, evidence) ?? [];
  const types = live.flatMap((one) => one.types.filter((type) => type.typeName === typeName));
  const batches = types.flatMap(({ batch }) => batch ?? []);
  // A worker that processes its jobs alone waits for no batch.
  if (batches.length === 0 || batches.length < types.length) return undefined;
  // Without `perKey`, jobs under keys wait for no batch.
  if (key !== undefined && !batches.every(({ perKey }) => perKey === true)) return undefined;
  if (operator?.examineJobs === undefined) return undefined;
  const conditions: readonly StoreCondition[] = [
    { field: "text", of: "typeName", anyOf: [typeName], negated: false },
    { field: "is", anyOf: ["due", "stalled"], negated: false },
  ];
  const { jobs, examinedTo } = await operator.examineJobs({
    ...{ conditions, order: "asc", limit: dueMax, examineMax },
    ...{ afterOrdinal: null, ordinalMax: null },
  });
  if (examinedTo !== null) return undefined;
  const found = (await operator.findKeys?.({ ids: jobs.map(({ id }) => id) })) ?? [];
  const due = jobs.filter((_, index) => isSameKey(found[index], key));
  const oldest = Math.min(...due.map(({ scheduledAt }) => scheduledAt.getTime()));
  const ripe = batches.map(({ minSize, maxWaitMs }) => ({
    minSize,
    at: due.length >= minSize ? 0 : oldest + maxWaitMs,
  }));
  const [first] = ripe.sort((left, right) => left.at - right.at);
  const inMs = (first?.at ?? 0) - evidence.now.getTime();
  if (first === undefined || inMs <= 0 || !Number.isFinite(inMs)) return undefined;
  const { minSize, at } = first;
  const text =
    `Its batch begins when ${countOf(minSize, "job")} of the ${key === undefined ? "type" : "key"} are due, or in ${duration(inMs)}. ` +
    `Due are ${due.length}.`;
  return { kind: "batch_not_ripe", due: due.length, minSize, ripeAt: new Date(at), text };
};

/** Jobs of other keys are no part of the batch. Undefined: without a key. */
const isSameKey = (
  found: LimitKeyReference | undefined,
  key: LimitKeyReference | undefined,
): boolean => found?.limitName === key?.limitName && found?.key === key?.key;
