import fc from "fast-check";
import { InvalidFilterError, PlanRefusedError, ReadOnlyOperatorError } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { aKey } from "../../src/testing/factories.ts";
import { anOperator, type OperatedStore } from "./a-client.ts";

const failSome = async ({ steps }: OperatedStore, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push((await steps.createFailed({ typeName: "charge" }, `Error: bank ${index}`)).id);
  }
  return ids;
};

const refusalOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "accepted",
    (error: unknown) => {
      if (error instanceof PlanRefusedError) return error.reason;
      throw error;
    },
  );

describe("a plan", () => {
  it("retries the jobs that match, and not those that fail later", async () => {
    const store = await anOperator();
    const ids = await failSome(store, 3);
    const plan = await store.operator.plan({ action: "retry", filter: "type:charge error:bank" });
    expect(plan).toMatchObject({ count: 3, isAtLeast: false, confirm: "count", refused: [] });
    expect(await store.steps.get({ id: ids[0] ?? "" })).toMatchObject({ status: "failed" });
    const [late = ""] = await failSome(store, 1);
    const result = await store.operator.apply({ token: plan.token, count: 3 });
    expect(result).toMatchObject({ done: 3, refused: 0, total: 3, isStopped: false });
    const jobs = await store.state.getJobs({ ids: [...ids, late] });
    expect(jobs.map((job) => job?.status)).toEqual(["pending", "pending", "pending", "failed"]);
  });

  it("lists the refusals before anything is written", async () => {
    const { operator, steps } = await anOperator();
    const taken = await steps.createFailed({ deduplication: aKey("day") });
    await steps.createOne({ deduplication: aKey("day") });
    const completed = await steps.createCompleted({ typeName: "done" });
    const ids = [taken.id, completed.id, "absent"];
    const plan = await operator.plan({ action: "retry", ids });
    expect(plan.count).toBe(0);
    expect(plan.refused).toEqual([
      { reason: "not_failed", count: 1, sample: [completed.id] },
      { reason: "not_found", count: 1, sample: ["absent"] },
      { reason: "deduplication_key_taken", count: 1, sample: [taken.id] },
    ]);
    expect(await steps.get(taken)).toMatchObject({ status: "failed" });
  });

  it("names the jobs that wait", async () => {
    const { operator, steps } = await anOperator();
    const failed = await steps.createFailed();
    await steps.createBlocked([failed], { typeName: "ship" });
    const plan = await operator.plan({ action: "retry", ids: [failed.id] });
    expect(plan.consequences).toEqual(["1 job waits for them, and runs when they complete."]);
    expect(plan.confirm).toBe("button");
  });

  it("deletes whole trees, and keeps those that others wait for", async () => {
    const { operator, steps, state } = await anOperator();
    const free = await steps.createFailed({ typeName: "a" });
    const child = await steps.createOne({ rootSequenceId: free.id, originId: free.id });
    const needed = await steps.createFailed({ typeName: "b" });
    await steps.createBlocked([needed], { typeName: "ship" });
    const plan = await operator.plan({ action: "delete", filter: "status:failed" });
    expect(plan).toMatchObject({ count: 2, confirm: "count" });
    const result = await operator.apply({ token: plan.token, count: 2 });
    expect(result).toMatchObject({
      done: 1,
      refusedJobs: [{ id: needed.id, reason: "still_blocking" }],
    });
    const jobs = await state.getJobs({ ids: [free.id, child.id, needed.id] });
    expect(jobs.map((job) => job?.id)).toEqual([undefined, undefined, needed.id]);
  });

  it("cancels sequences, and keeps those that have ended or that others wait for", async () => {
    const { operator, steps, state } = await anOperator();
    const failed = await steps.createFailed({ typeName: "a" });
    const free = await steps.createOne({ typeName: "a" });
    const needed = await steps.createOne({ typeName: "a" });
    await steps.createBlocked([needed], { typeName: "ship" });
    const plan = await operator.plan({ action: "cancel", filter: "type:a" });
    expect(plan).toMatchObject({ count: 2, confirm: "count" });
    const result = await operator.apply({ token: plan.token, count: 2 });
    expect(result).toMatchObject({
      done: 1,
      refusedJobs: [{ id: needed.id, reason: "still_blocking" }],
    });
    const jobs = await state.getJobs({ ids: [free.id, needed.id, failed.id] });
    expect(jobs.map((job) => job?.status)).toEqual(["cancelled", "pending", "failed"]);
    const ended = await operator.plan({ action: "cancel", ids: [free.id] });
    expect(ended).toMatchObject({
      count: 0,
      confirm: "count",
      refused: [{ reason: "already_ended", sample: [free.id] }],
    });
  });

  it("cancels a failed sequence that can never be retried", async () => {
    const { operator, steps, state } = await anOperator();
    const blocker = await steps.createOne({ typeName: "pay" });
    const failed = await steps.createBlocked([blocker], { typeName: "ship" });
    await state.cancelSequences({
      ...{ sequences: [{ id: blocker.id, lease: null }], tree: true },
      ...{ dependants: "fail", reason: null },
    });
    expect(await steps.get(failed)).toMatchObject({ status: "failed" });
    const retry = await operator.plan({ action: "retry", ids: [failed.id] });
    expect(retry).toMatchObject({ count: 0, refused: [{ reason: "blocker_cancelled" }] });
    const plan = await operator.plan({ action: "cancel", ids: [failed.id] });
    expect(plan).toMatchObject({
      count: 1,
      consequences: ["Some of them have failed. They can never be retried then."],
    });
    expect(await operator.apply({ token: plan.token, count: 1 })).toMatchObject({ done: 1 });
    expect(await steps.get(failed)).toMatchObject({ status: "cancelled" });
  });

  it.each(["status:failed", "status:failed,pending", "error:bank status:failed"])(
    "cancels the failed sequences of a filter that asks for them: %s",
    async (filter) => {
      const store = await anOperator();
      const ids = await failSome(store, 2);
      const plan = await store.operator.plan({ action: "cancel", filter });
      expect(await store.operator.apply({ token: plan.token, count: 2 })).toMatchObject({
        done: 2,
        refused: 0,
      });
      const jobs = await store.state.getJobs({ ids });
      expect(jobs.map((job) => job?.status)).toEqual(["cancelled", "cancelled"]);
    },
  );

  it.each(["type:charge", "type:charge -status:pending", "type:charge is:open"])(
    "cancels no failed sequence of another filter: %s",
    async (filter) => {
      const store = await anOperator();
      await failSome(store, 2);
      expect(await store.operator.plan({ action: "cancel", filter })).toMatchObject({ count: 0 });
    },
  );

  it("does not touch the sequence of a named job that has ended", async () => {
    const { operator, steps } = await anOperator();
    const first = await steps.createRunning({ typeName: "first" });
    const next = await steps.continueWith(first, { typeName: "next" });
    const other = await steps.createOne({ typeName: "other" });
    const plan = await operator.plan({ action: "cancel", ids: [first.id, other.id] });
    expect(plan).toMatchObject({
      count: 1,
      refused: [{ reason: "already_ended", sample: [first.id] }],
    });
    const result = await operator.apply({ token: plan.token, count: 1 });
    expect(result).toMatchObject({
      done: 1,
      refusedJobs: [{ id: first.id, reason: "already_ended" }],
    });
    expect(await steps.get(next)).toMatchObject({ status: "pending" });
    expect(await steps.get(other)).toMatchObject({ status: "cancelled" });
  });

  it("does all that it counted, also behind jobs that are refused", async () => {
    const store = await anOperator();
    const taken = await store.steps.createFailed({ deduplication: aKey("day") });
    await store.steps.createOne({ deduplication: aKey("day") });
    const ids = await failSome(store, 2);
    const plan = await store.operator.plan({ action: "retry", filter: "status:failed" });
    expect(plan).toMatchObject({ count: 2, refused: [{ reason: "deduplication_key_taken" }] });
    const result = await store.operator.apply({ token: plan.token, count: 2 });
    expect(result).toMatchObject({ done: 2, refused: 1, refusedJobs: [{ id: taken.id }] });
    const jobs = await store.state.getJobs({ ids });
    expect(jobs.map((job) => job?.status)).toEqual(["pending", "pending"]);
  });

  it("triggers scheduled jobs", async () => {
    const { operator, steps, live } = await anOperator();
    await live(["task"]);
    const job = await steps.createOne({ schedule: { afterMs: 1e6 } });
    const plan = await operator.plan({ action: "trigger", filter: "is:scheduled" });
    expect(await operator.apply({ token: plan.token })).toMatchObject({ done: 1 });
    expect((await operator.explain({ id: job.id })).verdict).toBe("will_run");
  });

  it("stops between two steps", async () => {
    const store = await anOperator();
    await failSome(store, 501);
    const plan = await store.operator.plan({ action: "retry", filter: "status:failed" });
    const stop = new AbortController();
    const result = await store.operator.apply({
      token: plan.token,
      count: 501,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    expect(result).toMatchObject({ done: 500, isStopped: true });
  });

  it("does no more than it counted, when jobs fail again meanwhile", async () => {
    const store = await anOperator();
    await failSome(store, 600);
    const plan = await store.operator.plan({ action: "retry", filter: "status:failed" });
    const result = await store.operator.apply({
      token: plan.token,
      count: 600,
      // Workers run the retried jobs at once, and they fail again.
      onProgress: () => {
        void store.steps
          .acquire({ typeName: "charge", limit: 500 })
          .then((jobs) => Promise.all(jobs.map(({ job }) => store.steps.fail(job))));
      },
    });
    expect(result.done).toBeLessThanOrEqual(600);
  });

  it("is refused when its token is forged, expired, replayed or of another user", async () => {
    const store = await anOperator({ planTtlMs: 60_000 });
    const { operator, open } = store;
    await failSome(store, 2);
    const make = async (user?: string) =>
      (await operator.plan({ action: "retry", filter: "status:failed", user })).token;
    const token = await make();
    const [body = "", signature = ""] = token.split(".");
    const changed = Buffer.from(body, "base64url").toString().replace("retry", "delete");
    const forged = `${Buffer.from(changed).toString("base64url")}.${signature}`;
    for (const bad of [forged, body, `${token}.x`, "", "a.b", 7 as never, undefined as never]) {
      expect(await refusalOf(operator.apply({ token: bad, count: 2 }))).toBe("forged");
    }
    expect(await refusalOf(open().apply({ token, count: 2 }))).toBe("forged");
    expect(await refusalOf(operator.apply({ token, count: 3 }))).toBe("count_differs");
    expect(await refusalOf(operator.apply({ token }))).toBe("count_differs");
    expect(await refusalOf(operator.apply({ token, count: 2, user: "eve" }))).toBe("other_user");
    const adas = await make("ada");
    expect(await refusalOf(operator.apply({ token: adas, count: 2 }))).toBe("other_user");
    const expired = await open({ planTtlMs: 1, secret: "shared" }).plan({
      action: "retry",
      filter: "status:failed",
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const late = open({ secret: "shared" }).apply({ token: expired.token, count: 2 });
    expect(await refusalOf(late)).toBe("expired");
    expect(await store.state.summarize({ runningLongMs: 1 })).toMatchObject({
      counts: [{ status: "failed", count: 2 }],
    });
    expect(await operator.apply({ token, count: 2 })).toMatchObject({ done: 2 });
    expect(await refusalOf(operator.apply({ token, count: 2 }))).toBe("applied_before");
  });

  it("is accepted by another operator with the same secret", async () => {
    const store = await anOperator({ secret: "shared" });
    await failSome(store, 1);
    const { token } = await store.operator.plan({ action: "retry", filter: "status:failed" });
    expect(await store.open().apply({ token })).toMatchObject({ done: 1 });
    // The third operator has not seen it: the record of the store has.
    expect(await refusalOf(store.open().apply({ token }))).toBe("applied_before");
    expect(await store.operator.listActions()).toMatchObject([
      { action: "retry", filter: "status:failed", user: null, count: 1, done: 1, refused: 0 },
    ]);
  });

  it("does not take an empty filter for all jobs", async () => {
    const { operator } = await anOperator();
    for (const filter of ["", "   "]) {
      await expect(operator.plan({ action: "delete", filter })).rejects.toThrow(InvalidFilterError);
    }
  });

  it("refuses bad options by name", async () => {
    const { operator, open } = await anOperator();
    const bad = [
      {},
      { action: "retry" },
      { action: "retry", ids: [] },
      { action: "retry", ids: ["a"], filter: "status:failed" },
      { action: "retry", ids: ["\0"] },
      { action: "explode", filter: "status:failed" },
      { action: "retry", filter: "status:failed", usr: "x" },
      { action: "retry", ids: Array.from({ length: 1_001 }, (_, index) => `${index}`) },
    ];
    for (const options of bad) {
      await expect(operator.plan(options as never)).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
    const readOnly = open({ readOnly: true });
    await expect(readOnly.plan({ action: "retry", ids: ["a"] })).rejects.toThrow(
      ReadOnlyOperatorError,
    );
    await expect(readOnly.apply({ token: "x" })).rejects.toThrow(ReadOnlyOperatorError);
  });

  it("refuses every changed token", async () => {
    const store = await anOperator();
    await failSome(store, 1);
    const { token } = await store.operator.plan({ action: "retry", filter: "status:failed" });
    const place = fc.nat({ max: token.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom("A", "_", ".", " "), async (at, character) => {
        const bad = token.slice(0, at) + character + token.slice(at + 1);
        // The last character of a signature has bits that are not used.
        fc.pre(bad !== token && at < token.length - 1);
        expect(await refusalOf(store.operator.apply({ token: bad }))).toBe("forged");
      }),
      { numRuns: 200 },
    );
  });
});
