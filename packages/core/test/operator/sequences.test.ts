import { describe, expect, it } from "vitest";
import { StatementTimeoutError } from "../../src/errors.ts";
import { anOperator } from "./a-client.ts";

describe("a search of sequences", () => {
  it("compares the current job, and the age, the key and the id of the first one", async () => {
    const { operator, steps } = await anOperator();
    const order = await steps.createRunning({ typeName: "order" });
    const ship = await steps.continueWith(order, { typeName: "ship" });
    const child = await steps.createFailed({
      ...{ typeName: "pay", rootSequenceId: order.id, originId: order.id },
    });
    const found = async (filter: string, rootsOnly = false) =>
      (await operator.listSequences({ filter, rootsOnly })).items.map(({ id }) => id);
    expect(await found("")).toEqual([child.id, order.id]);
    expect(await found("", true)).toEqual([order.id]);
    expect(await found("status:pending")).toEqual([order.id]);
    expect(await found("type:ship")).toEqual([order.id]);
    expect(await found("type:order")).toEqual([]);
    expect(await found("seq-type:order")).toEqual([order.id]);
    expect(await found(`id:${order.id}`)).toEqual([order.id]);
    expect(await found(`id:${ship.id}`)).toEqual([order.id]);
    expect(await found(`-id:${ship.id}`)).toEqual([child.id]);
    expect(await found("-status:pending")).toEqual([child.id]);
    const [first] = (await operator.listSequences({ filter: "type:ship" })).items;
    expect(first).toMatchObject({ typeName: "order", jobCount: 2, current: { id: ship.id } });
  });

  it("goes on from page to page", async () => {
    const { operator, steps } = await anOperator();
    const jobs = await steps.create(...Array.from({ length: 5 }, () => ({})));
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await operator.listSequences({ order: "asc", limit: 2, cursor });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(found).toEqual(jobs.map(({ id }) => id));
    const { nextCursor } = await operator.listJobs({ limit: 1 });
    await expect(operator.listSequences({ cursor: nextCursor })).rejects.toMatchObject({
      code: "QUEUERT_INVALID_CURSOR",
    });
  });
});

describe("options of a search of sequences", () => {
  it("are refused by their names", async () => {
    const { operator } = await anOperator();
    for (const options of [{ rootsOnly: 1 }, { wholePayloads: true }, { limit: 0 }, null]) {
      await expect(operator.listSequences(options as never)).rejects.toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
    }
  });
});

describe("a read that takes too long", () => {
  it("is given up, and keeps its slot until the store has answered", async () => {
    const { state, open } = await anOperator();
    const answers: (() => void)[] = [];
    let asked = 0;
    const slow = (): Promise<Date> => {
      asked++;
      return new Promise((resolve) => answers.push(() => resolve(new Date())));
    };
    Object.assign(state.operator ?? {}, { readClock: slow });
    const operator = open({ queryTimeoutMs: 5 });
    const late = { code: "QUEUERT_QUERY_TIMEOUT", operation: "readClock", timeoutMs: 5 };
    const reads = [1, 2, 3].map(() => operator.readClock());
    for (const read of reads) await expect(read).rejects.toMatchObject(late);
    expect(asked).toBe(2);
    for (const answer of answers.splice(0)) answer();
    const next = open({ queryTimeoutMs: 1e6 }).readClock();
    answers[0]?.();
    await expect(next).resolves.toBeInstanceOf(Date);
  });

  it("names its time to the store, and its operation if the store has ended it", async () => {
    const { state, open } = await anOperator();
    const times: unknown[] = [];
    const end = async (params: { readonly timeoutMs?: number }): Promise<never> => {
      times.push(params.timeoutMs);
      throw new StatementTimeoutError(params.timeoutMs ?? 0);
    };
    Object.assign(state.operator ?? {}, { examineJobs: end, countJobs: end });
    const operator = open({ queryTimeoutMs: 60_000 });
    const reads = [
      ["listJobs", () => operator.listJobs()],
      ["countJobs", () => operator.countJobs()],
      ["listFailures", () => operator.listFailures()],
      ["plan", () => operator.plan({ action: "retry", filter: "status:failed" })],
    ] as const;
    for (const [operation, read] of reads) {
      await expect(read()).rejects.toMatchObject({
        ...{ code: "QUEUERT_QUERY_TIMEOUT", operation, timeoutMs: 60_000 },
      });
    }
    expect(times).toEqual(reads.map(() => 60_000));
  });
});
