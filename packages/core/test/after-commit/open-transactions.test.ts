import { describe, expect, it } from "vitest";
import type { Effects } from "../../src/after-commit/effects.ts";
import { createOpenTransactions } from "../../src/after-commit/open-transactions.ts";

// Only carried along here.
const effects = {} as Effects;

describe("open transactions", () => {
  it("are found by any part of their context, until they are forgotten", () => {
    const transactions = createOpenTransactions();
    const client = {};
    const opened = transactions.open({ client, name: "a" }, effects);
    expect(transactions.find({ client, other: {} })).toBe(opened);
    expect(transactions.find({ name: "a" })).toBeUndefined();
    transactions.forget(opened);
    expect(transactions.find({ client })).toBeUndefined();
  });

  it("are forgotten by what they were opened with, whatever has become of the context", () => {
    const transactions = createOpenTransactions();
    const client = {};
    const context: { client: object } = { client };
    const opened = transactions.open(context, effects);
    context.client = {};
    transactions.forget(opened);
    expect(transactions.find({ client })).toBeUndefined();
  });

  it("that share a part are told apart by the others, and not at all by what they share", () => {
    const transactions = createOpenTransactions();
    const client = {};
    const [one, other] = [{}, {}].map((session) => transactions.open({ client, session }, effects));
    expect(transactions.find({ client })).toBeUndefined();
    expect(transactions.find({ ...one?.context })).toBe(one);
    expect(transactions.find({ ...other?.context })).toBe(other);
  });

  describe("end with a call", () => {
    const open = () => createOpenTransactions().open({ client: {} }, effects);
    type Opened = ReturnType<typeof open>;
    /** As the facade does. Answers the call's promise, and what asks within the call whether it is the last. */
    const call = (opened: Opened) => {
      let isLast = false;
      const answer = opened.call("start", async () => {
        await Promise.resolve();
        isLast = opened.tryEnd();
      });
      opened.answerWith(answer);
      return { answer, isLast: () => answer.then(() => isLast) };
    };

    it("when the callback has returned its very promise", async () => {
      const opened = open();
      const { answer, isLast } = call(opened);
      opened.returned(answer);
      expect(await isLast()).toBe(true);
      expect(opened.isEnding).toBe(true);
      await expect(call(opened).answer).rejects.toMatchObject({
        code: "QUEUERT_TRANSACTION_ENDING",
      });
    });

    it("not when it has returned another promise, or nothing", async () => {
      for (const change of [async () => undefined, () => undefined]) {
        const opened = open();
        const { isLast } = call(opened);
        opened.returned(change());
        expect(await isLast()).toBe(false);
        expect(opened.isEnding).toBe(false);
      }
    });

    it("not when another call is under way, or has been made since", async () => {
      const opened = open();
      const [first, second] = [call(opened), call(opened)];
      opened.returned(second.answer);
      expect([await first.isLast(), await second.isLast()]).toEqual([false, false]);
      const third = call(opened);
      opened.returned(third.answer);
      const fourth = call(opened);
      expect([await third.isLast(), await fourth.isLast()]).toEqual([false, false]);
    });
  });
});
