// Rows that other programs write into the store's tables: a broken payload, an unknown type, a
// status of a later version. The worker continues and all other jobs complete. A broken row stays
// visible, with a reason, until it is repaired.
import fc from "fast-check";
import { createQueuert, defineUnionJobTypes, type AnyStateAdapter, type StateJob } from "queuert";
import { chooseSeed } from "queuert/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openStores, type OpenedStore } from "./open-stores.ts";
import { type Fields, writeRow } from "./write-rows.ts";

const jobTypes = defineUnionJobTypes<{ plain: { input: unknown; output: unknown } }>();
const seed = chooseSeed();

const text = fc.oneof(
  fc.constantFrom(
    "",
    "{",
    "nul",
    "[1,",
    '"',
    "undefined",
    "NaN",
    '{"a":}',
    "🐌",
    "[".repeat(9_000),
  ),
  fc.string().filter((one) => !one.includes("\0")),
);

const spoilt: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({ input: text }),
  fc.record({ input: fc.constant("{") }),
  fc.record({ typeName: fc.constantFrom("nobody's", "", "__proto__", "constructor") }),
  fc.record({ traceContext: text }),
  fc.record({ status: fc.constantFrom("paused", "", "PENDING") }),
  fc.record({ onBlockerFailure: fc.constantFrom("retry", "") }),
  fc.record({ priority: fc.constantFrom(1_000_000, -1_000_000) }),
  fc.record({ attempt: fc.constantFrom(-7, 1_000_000) }),
  fc.record({ leaseVersion: fc.constantFrom(-7, 1_000_000) }),
);

const isOurs = ({ typeName, status }: Fields): boolean =>
  typeName === undefined && status === undefined;

/** Sound, or failed for a reason that names the defect; null for a row that is neither yet. */
const verdictOf = (job: StateJob | undefined): "completed" | "failed" | null => {
  if (job?.status === "completed") return "completed";
  if (job?.status === "failed" && (job.lastAttemptError ?? "") !== "") return "failed";
  return null;
};

const openQueuert = (state: AnyStateAdapter) =>
  createQueuert({ stateAdapter: state, jobTypeDefinitions: jobTypes, log: () => undefined });

const start = async (state: AnyStateAdapter, count: number): Promise<readonly string[]> => {
  const queuert = await openQueuert(state);
  const sequences = Array.from({ length: count }, () => ({ typeName: "plain", input: 1 }) as const);
  const started = await queuert.transaction((context) =>
    queuert.startJobSequences({ ...context, sequences }),
  );
  await queuert.close();
  return started.map(({ id }) => id);
};

/** Works until each of these has a verdict. */
const workUntilJudged = async (
  { state }: OpenedStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const queuert = await openQueuert(state);
  await queuert
    .createWorker()
    .implementJobType({
      ...{ typeName: "plain", retryConfig: { initialDelayMs: 1, maxDelayMs: 5, maxAttempts: 2 } },
      process: async ({ job, complete }) => complete(job.input),
    })
    .start({ pollIntervalMs: 20 });
  const giveUpAt = performance.now() + 10_000;
  try {
    for (;;) {
      const jobs = await state.getJobs({ ids });
      const verdicts = jobs.map((job, index) => [ids[index] ?? "", verdictOf(job)] as const);
      const judged = verdicts.flatMap(([id, verdict]) =>
        verdict === null ? [] : [[id, verdict] as const],
      );
      if (judged.length === ids.length) return new Map(judged);
      if (performance.now() > giveUpAt) {
        const open = jobs.filter((job) => verdictOf(job) === null);
        throw new Error(`Neither done nor failed: ${JSON.stringify(open, null, 1)}`);
      }
      await sleep(10);
    }
  } finally {
    await queuert.close();
  }
};

describe.each(openStores)(`rows of others in $name (QUEUERT_SEED=${seed})`, ({ name, opened }) => {
  it("affect no other job, and are not lost in silence", async () => {
    await using store = await opened();
    const spoils = fc.sample(spoilt, { seed, numRuns: 25 });
    const [spoiled, sound] = [
      await start(store.state, spoils.length),
      await start(store.state, 20),
    ];
    for (const [index, fields] of spoils.entries()) {
      await writeRow[name](store.url, spoiled[index] ?? "", fields);
    }
    const ours = spoiled.filter((_, index) => isOurs(spoils[index] ?? {}));
    const verdicts = await workUntilJudged(store, [...ours, ...sound]);
    expect(sound.map((id) => verdicts.get(id))).toEqual(sound.map(() => "completed"));
    // Rows without a worker stay as they were.
    const others = spoiled.filter((id) => !ours.includes(id));
    for (const [index, job] of (await store.state.getJobs({ ids: others })).entries()) {
      expect(job?.id).toBe(others[index]);
      expect(job?.attempt).toBe(0);
    }
    // Broken rows can be repaired.
    const failed = [...verdicts].flatMap(([id, verdict]) => (verdict === "failed" ? [id] : []));
    for (const id of failed)
      await writeRow[name](store.url, id, { input: "1", traceContext: "", attempt: 0 });
    const queuert = await openQueuert(store.state);
    const retried = await queuert.retryFailedJobs({ ids: failed });
    expect(retried.filter((one) => !one.retried)).toEqual([]);
    await queuert.close();
    const again = await workUntilJudged(store, failed);
    expect([...again.values()].filter((verdict) => verdict !== "completed")).toEqual([]);
  });
});
