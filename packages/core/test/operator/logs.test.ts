import { describe, expect, it } from "vitest";
import { InvalidCursorError } from "../../src/errors.ts";
import { UnknownJobError } from "../../src/operator/operator-errors.ts";
import { anOperator } from "./a-client.ts";

const line = (message: string, data?: unknown) => ({
  ...{ at: 5, level: "info", message },
  ...(data !== undefined && { data: JSON.stringify(data) }),
});

const aLoggedJob = async () => {
  const operated = await anOperator({ redact: { "send-mail": ["to"] } });
  const { steps, state } = operated;
  const { id } = await steps.createOne({ typeName: "send-mail" });
  const append = (leaseVersion: number, firstLine: number, lines: string) =>
    state.operator?.appendLogs?.({
      ...{ gaps: [], progress: [], forget: [], keptMs: 1e12 },
      chunks: [{ jobId: id, leaseVersion, attempt: leaseVersion, firstLine, lines }],
    });
  await append(1, 0, JSON.stringify([line("one", { to: "ada", token: "x", n: 1 }), line("two")]));
  return { ...operated, id, append };
};

describe("the log of a job", () => {
  it("has numbered lines, and hides secret data", async () => {
    const { operator, id } = await aLoggedJob();
    const { lines } = await operator.getLogs({ id });
    expect(lines).toEqual([
      {
        ...{ leaseVersion: 1, attempt: 1, number: 0, at: new Date(5), level: "info" },
        ...{ message: "one", data: '{"to":"‹redacted›","token":"‹redacted›","n":1}' },
      },
      {
        ...{ leaseVersion: 1, attempt: 1, number: 1, at: new Date(5), level: "info" },
        ...{ message: "two", data: null },
      },
    ]);
    const masked = await operator.getLogs({ id, payloads: "masked" });
    expect(masked.lines[0]?.data).toBe('{"to":"‹string 3›","token":"‹string 1›","n":"‹number›"}');
    const raw = await operator.getLogs({ id, payloads: "raw" });
    expect(raw.lines[0]?.data).toContain("ada");
  });

  it("goes on after a cursor, and refuses one that it has not made", async () => {
    const { operator, id, append } = await aLoggedJob();
    const first = await operator.getLogs({ id });
    const none = await operator.getLogs({ id, cursor: first.cursor });
    expect(none).toEqual({ lines: [], cursor: first.cursor });
    await append(1, 2, JSON.stringify([line("three")]));
    await append(2, 0, JSON.stringify([line("again")]));
    const next = await operator.getLogs({ id, cursor: first.cursor });
    expect(next.lines.map(({ message }) => message)).toEqual(["three", "again"]);
    expect((await operator.getLogs({ id, cursor: next.cursor })).lines).toEqual([]);
    for (const cursor of ["", "x", "1", "1.", "-1.0", "1.2.3", "1e3.0", "9999999999.0", " 1.0"]) {
      await expect(operator.getLogs({ id, cursor })).rejects.toBeInstanceOf(InvalidCursorError);
    }
    await expect(operator.getLogs({ id: "absent" })).rejects.toBeInstanceOf(UnknownJobError);
    await expect(operator.getLogs({ id, from: 1 } as never)).rejects.toThrow("from");
  });

  it("says so if lines cannot be read", async () => {
    const { operator, id, append } = await aLoggedJob();
    await append(1, 2, "q1:enc.2026:AAAA");
    const { lines } = await operator.getLogs({ id });
    expect(lines.at(-1)).toMatchObject({ number: 2, message: "‹lines that cannot be read›" });
  });
});

describe("the progress of a job", () => {
  it("is that of its newest attempt, and never that of an earlier one", async () => {
    const { operator, steps, state } = await anOperator();
    const report = (jobId: string, leaseVersion: number, fraction: number) =>
      state.operator?.appendLogs?.({
        ...{ chunks: [], gaps: [], forget: [], keptMs: 1e12 },
        progress: [{ jobId, leaseVersion, fraction, note: null }],
      });
    const progressOf = async (id: string) => (await operator.getJob({ id }))?.progress?.fraction;
    const job = await steps.createRunning({ typeName: "resize" });
    await report(job.id, 1, 0.4);
    expect(await progressOf(job.id)).toBe(0.4);
    await steps.reschedule(job);
    expect(await progressOf(job.id)).toBe(0.4);
    const again = await steps.acquireOne({ typeName: "resize" });
    expect(await progressOf(job.id)).toBeUndefined();
    await steps.complete(again);
    // The second attempt reported nothing: the store still has the report of the first one.
    expect((await state.operator?.listProgress?.({ jobIds: [job.id] }))?.[0]?.fraction).toBe(0.4);
    expect((await operator.getJob({ id: job.id }))?.progress).toBeNull();
  });
});
