import { describe, expect, it } from "vitest";
import { createOpenTransactions, type Effects } from "../../src/after-commit/open-transactions.ts";

// Only carried along here.
const effects = {} as Effects;
const contextKeys = { learn: () => undefined };

describe("open transactions", () => {
  it("are found by any part of their context, until they are forgotten", () => {
    const transactions = createOpenTransactions(contextKeys);
    const client = {};
    const opened = transactions.open({ client, name: "a" }, effects);
    expect(transactions.find({ client, other: {} })).toBe(opened);
    expect(transactions.find({ name: "a" })).toBeUndefined();
    transactions.forget(opened);
    expect(transactions.find({ client })).toBeUndefined();
  });

  it("are forgotten by the context they were opened with, even if that has changed", () => {
    const transactions = createOpenTransactions(contextKeys);
    const client = {};
    const context: { client: object } = { client };
    const opened = transactions.open(context, effects);
    context.client = {};
    transactions.forget(opened);
    expect(transactions.find({ client })).toBeUndefined();
  });

  it("that share a part are distinguished by the other parts, and not by the shared one", () => {
    const transactions = createOpenTransactions(contextKeys);
    const client = {};
    const [one, other] = [{}, {}].map((session) => transactions.open({ client, session }, effects));
    expect(transactions.find({ client })).toBeUndefined();
    expect(transactions.find({ ...one?.context })).toBe(one);
    expect(transactions.find({ ...other?.context })).toBe(other);
  });
});
