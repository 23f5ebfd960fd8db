import type { OperatorOptions } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { anOperator } from "./a-client.ts";

const shownInput = async (
  options: Partial<OperatorOptions>,
  input: string,
  typeName = "send-mail",
): Promise<unknown> => {
  const { operator, steps } = await anOperator(options);
  const { id } = await steps.createOne({ typeName, input });
  return JSON.parse((await operator.getJob({ id }))?.input.text ?? "null");
};

describe("a function that redacts payloads", () => {
  it("returns them as they may be shown, and secret keys stay hidden", async () => {
    const redact: OperatorOptions["redact"] = ({ typeName, field, value }) => ({
      ...(value as object),
      about: `${field} of ${typeName}`,
      to: "someone",
    });
    const input = JSON.stringify({ to: "ada@example.com", amount: 7, password: "s3cret" });
    expect(await shownInput({ redact }, input)).toEqual({
      to: "someone",
      amount: 7,
      password: "‹redacted›",
      about: "input of send-mail",
    });
  });

  const wrong: readonly (readonly [string, () => unknown])[] = [
    [
      "throws",
      () => {
        throw new Error("unknown shape");
      },
    ],
    ["returns nothing", () => undefined],
    ["returns a value that is not JSON", () => 1n],
  ];
  it.each(wrong)("hides a payload whole if it %s", async (_name, redact) => {
    expect(await shownInput({ redact }, '{"to":"ada@example.com"}')).toBe("‹redacted›");
  });

  it("decides about searches, too: a hidden value is not found", async () => {
    const redact: OperatorOptions["redact"] = ({ value }) => ({ ...(value as object), to: "-" });
    const { operator, steps } = await anOperator({ redact });
    await steps.createOne({ input: JSON.stringify({ to: "ada@example.com", order: "A-17" }) });
    const found = async (filter: string): Promise<number> =>
      (await operator.listJobs({ filter })).items.length;
    expect(await found('input.to:"ada@example.com"')).toBe(0);
    expect(await found("input:ada")).toBe(0);
    expect(await found('input.order:"A-17"')).toBe(1);
  });

  it("is not asked if payloads are masked or raw", async () => {
    const redact = (): never => {
      throw new Error("asked");
    };
    const masked = await shownInput({ redact, payloads: "masked" }, '{"to":"ada"}');
    expect(masked).toEqual({ to: "‹string 3›" });
    expect(await shownInput({ redact, payloads: "raw" }, '{"to":"ada"}')).toEqual({ to: "ada" });
  });
});

describe("a function that redacts errors", () => {
  const secret = "4111111111111111";
  const redactText = (text: string): string => text.replaceAll(/\d{16}/g, "#card");

  it("changes them in every answer", async () => {
    const { operator, steps } = await anOperator({ redactText });
    const failed = await steps.createFailed(
      { typeName: "charge" },
      `Error: card ${secret} refused`,
    );
    const blocked = await steps.createBlocked([failed], { typeName: "ship" });
    const answers = [
      await operator.getJob({ id: failed.id }),
      await operator.listJobs({}),
      await operator.listSequences({}),
      await operator.listFailures({}),
      await operator.explain({ id: failed.id }),
      await operator.explain({ id: blocked.id }),
      await operator.getTree({ sequenceId: failed.sequenceId }),
      await operator.plan({ action: "retry", filter: "status:failed" }),
    ];
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(secret);
    expect(JSON.stringify(answers)).toContain("card #card refused");
    const raw = await anOperator({ redactText, payloads: "raw" });
    const other = await raw.steps.createFailed({}, `Error: ${secret}`);
    expect((await raw.operator.getJob({ id: other.id }))?.error?.text).toContain(secret);
  });

  it("decides about searches: the shown text is found, the hidden one is not", async () => {
    const { operator, steps } = await anOperator({ redactText });
    await steps.createFailed({ typeName: "charge" }, `Error: card ${secret} refused`);
    const found = async (filter: string): Promise<number> =>
      (await operator.listJobs({ filter })).items.length;
    expect(await found(`error:${secret}`)).toBe(0);
    expect(await found(secret)).toBe(0);
    expect(await found('error:"#card refused"')).toBe(1);
    const { groups } = await operator.listFailures({});
    expect(await found(groups[0]?.filter ?? "")).toBe(1);
    const plan = await operator.plan({ action: "retry", filter: groups[0]?.filter ?? "" });
    expect(await operator.apply({ token: plan.token, count: 1 })).toMatchObject({ done: 1 });
  });

  it("hides an error whole if it throws", async () => {
    const broken = (): never => {
      throw new Error("unknown shape");
    };
    const { operator, steps } = await anOperator({ redactText: broken });
    const { id } = await steps.createFailed({}, `Error: ${secret}`);
    expect((await operator.getJob({ id }))?.error?.text).toBe("‹redacted›");
  });

  it("changes logged lines and the note of a progress, and payload functions see their data", async () => {
    const fields: string[] = [];
    const redact: OperatorOptions["redact"] = ({ field, value }) => {
      fields.push(field);
      return value;
    };
    const { operator, steps, state } = await anOperator({ redactText, redact });
    const { id } = await steps.createRunning({ typeName: "charge" });
    const attempt = { jobId: id, leaseVersion: 1 };
    const line = { at: 5, level: "info", message: `card ${secret}`, data: '{"n":1}' };
    await state.operator?.appendLogs?.({
      chunks: [{ ...attempt, attempt: 1, firstLine: 0, lines: JSON.stringify([line]) }],
      gaps: [],
      progress: [{ ...attempt, fraction: null, note: `charging ${secret}` }],
      forget: [],
      keptMs: 1e12,
    });
    expect((await operator.getLogs({ id })).lines).toMatchObject([
      { message: "card #card", data: '{"n":1}' },
    ]);
    expect(fields).toContain("log");
    expect((await operator.getJob({ id }))?.progress?.note).toBe("charging #card");
  });
});
