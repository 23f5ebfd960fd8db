import { InvalidOptionError } from "queuert";
import { ReadOnlyOperatorError } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { anOperator } from "./a-client.ts";

describe("controls of an operator", () => {
  it("pause and resume a type or every type, and are recorded with their user", async () => {
    const { operator } = await anOperator();
    const options = { typeName: "send-mail", user: "ada" };
    await operator.control({ action: "pause", ...options, note: "incident 88" });
    await operator.control({ action: "pause", typeName: null });
    expect((await operator.getOverview()).pauses).toMatchObject([
      { typeName: null },
      { typeName: "send-mail", note: "incident 88" },
    ]);
    expect(await operator.control({ action: "resume", ...options })).toEqual({ isDone: true });
    expect(await operator.control({ action: "resume", ...options })).toEqual({ isDone: false });
    expect((await operator.getOverview()).pauses).toMatchObject([{ typeName: null }]);
    const actions = await operator.listActions();
    // The clock of this store stands still, so the actions have no order.
    const told = actions.map(({ action, user, filter, done }) => [action, user, filter, done]);
    expect(new Set(told.map((each) => JSON.stringify(each)))).toEqual(
      new Set(
        [
          ["resume", "ada", 'type:"send-mail"', 0],
          ["resume", "ada", 'type:"send-mail"', 1],
          ["pause", null, null, 1],
          ["pause", "ada", 'type:"send-mail"', 1],
        ].map((each) => JSON.stringify(each)),
      ),
    );
  });

  it("pause, resume and trigger schedules, whose inputs are masked", async () => {
    const { operator, queuert } = await anOperator();
    const client = queuert as { upsertSchedules(options: object): Promise<unknown> };
    const daily = { name: "daily", typeName: "report", cron: "@daily", input: { to: "ada" } };
    await client.upsertSchedules({ schedules: [daily] });
    const name = "daily";
    expect(await operator.control({ action: "trigger_schedule", name })).toMatchObject({
      isDone: true,
      tick: { schedule: "daily", kind: "manual", outcome: "started" },
    });
    await operator.control({ action: "pause_schedule", name, note: "holidays" });
    const { items } = await operator.listSchedules({ payloads: "masked" });
    expect(items).toMatchObject([
      { name, pauseNote: "holidays", input: { text: '{"to":"‹string 3›"}' } },
    ]);
    await operator.control({ action: "resume_schedule", name });
    expect((await operator.listSchedules()).items).toMatchObject([{ pausedAt: null }]);
  });

  it("refuse an unknown action, and every action when read-only", async () => {
    const { operator, open } = await anOperator();
    const unknown = operator.control({ action: "stop" as "resume", typeName: null });
    await expect(unknown).rejects.toBeInstanceOf(InvalidOptionError);
    const wrong = { action: "resume", typeName: null, note: "x" } as const;
    await expect(operator.control(wrong)).rejects.toBeInstanceOf(InvalidOptionError);
    const readOnly = open({ readOnly: true }).control({ action: "resume", typeName: null });
    await expect(readOnly).rejects.toBeInstanceOf(ReadOnlyOperatorError);
  });
});

describe("the plan behind a token", () => {
  it("is told to the face that checks rights, unless the token is forged", async () => {
    const { operator, steps } = await anOperator();
    const { id } = await steps.createFailed();
    const { token } = await operator.plan({ action: "retry", ids: [id], user: "ada" });
    expect(operator.readPlan(token)).toMatchObject({ action: "retry", user: "ada", ids: [id] });
    expect(() => operator.readPlan(`${token}x`)).toThrowError(/not one that this operator made/);
  });
});
