import { describe, expect, it } from "vitest";
import type { AppendLogsParams } from "../../src/adapters/operator-logs.ts";
import type { AttemptResult } from "../../src/adapters/observability-adapter.ts";
import { LogWriter } from "../../src/lifecycle/log-writer.ts";
import type { Attempt } from "../../src/lifecycle/process-job/attempt.ts";
import { AttemptLog, logBounds } from "../../src/lifecycle/process-job/attempt-log.ts";
import type { AttemptLogsOptions } from "../../src/public-types/attempt-log.ts";

/** A writer whose timers fire when the test says so. */
const aWriter = (options: AttemptLogsOptions = {}, isTransient = true) => {
  const timers = new Map<number, () => void>();
  const delays: number[] = [];
  const calls: AppendLogsParams[] = [];
  let next = 0;
  const place = { refusals: 0 };
  const clock = {
    now: () => 1_000,
    setTimeout: (callback: () => void, ms: number) => {
      timers.set(++next, callback);
      delays.push(ms);
      return next;
    },
    clearTimeout: (handle: unknown) => void timers.delete(handle as number),
    yield: async () => {},
  };
  const append = async (params: AppendLogsParams): Promise<void> => {
    calls.push(params);
    if (place.refusals-- > 0) throw new Error("refused");
  };
  const writer = new LogWriter(append, () => isTransient, clock, options);
  const fire = async (): Promise<void> => {
    const due = [...timers.values()];
    timers.clear();
    for (const callback of due) callback();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  const attempt = (id = "a", leaseVersion = 1): Attempt =>
    ({
      job: { id, leaseVersion, attempt: 1 },
      log: null,
      result: null,
      lossReason: null,
    }) as Attempt;
  const end = (ended: Attempt, result: AttemptResult): void => {
    ended.result = result;
    writer.end(ended);
  };
  return { writer, timers, delays, calls, fire, attempt, end, place };
};

describe("the writer of attempts' logs", () => {
  it("makes no call for an attempt that succeeds before the first call", async () => {
    for (const result of ["completed", "continued", "rescheduled"] as const) {
      const { writer, calls, fire, attempt, end } = aWriter();
      const running = attempt();
      writer.createLog(running)("line");
      writer.createProgress(running)(0.5);
      end(running, result);
      await fire();
      await writer.flush();
      expect(calls).toEqual([]);
    }
  });

  it("makes no call and no timer for attempts that log nothing", async () => {
    const { writer, calls, timers, attempt, end } = aWriter();
    const running = attempt();
    end(running, "failed");
    await writer.flush();
    expect([calls.length, timers.size, running.log]).toEqual([0, 0, null]);
  });

  it("makes one call for all attempts, however many lines they log", async () => {
    const { writer, calls, timers, fire, attempt } = aWriter();
    const attempts = ["a", "b", "c"].map((id) => attempt(id));
    for (let line = 0; line < 50; line++) {
      for (const each of attempts) writer.createLog(each)(`line ${line}`);
    }
    expect(timers.size).toBe(1);
    await fire();
    expect(calls).toHaveLength(1);
    expect(calls[0]?.chunks.map(({ jobId, firstLine }) => [jobId, firstLine])).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
    expect(timers.size).toBe(0);
  });

  it("removes stored lines if the attempt succeeds or its job is gone", async () => {
    const { writer, calls, fire, attempt, end } = aWriter();
    const [good, gone, bad] = [attempt("good"), attempt("gone"), attempt("bad")];
    for (const each of [good, gone, bad]) writer.createLog(each)("line");
    await fire();
    gone.lossReason = "not_found";
    end(good, "completed");
    end(gone, "lost");
    end(bad, "failed");
    writer.createLog(good)("after the end");
    await fire();
    expect(calls[1]).toMatchObject({
      chunks: [],
      forget: [
        { jobId: "good", leaseVersion: 1 },
        { jobId: "gone", leaseVersion: 1 },
      ],
    });
  });

  it("repeats a call that failed, later and later, and gives up one that cannot succeed", async () => {
    const { writer, calls, delays, fire, attempt, place } = aWriter();
    place.refusals = 3;
    writer.createLog(attempt())("first");
    await fire();
    writer.createLog(attempt("b"))("second");
    for (let round = 0; round < 4; round++) await fire();
    expect(calls.map(({ chunks }) => chunks.map(({ jobId }) => jobId))).toEqual([
      ...[["a"], ["a"], ["a"], ["a"]],
      ["b"],
    ]);
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 1_000]);
    const lasting = aWriter({}, false);
    lasting.place.refusals = 1;
    lasting.writer.createLog(lasting.attempt())("refused");
    await lasting.fire();
    lasting.writer.createLog(lasting.attempt("b"))("accepted");
    await lasting.fire();
    expect(lasting.calls.map(({ chunks }) => chunks[0]?.jobId)).toEqual(["a", "b"]);
  });

  it("keeps no more than 4 MB in memory: the oldest attempts lose lines", async () => {
    const { writer, calls, fire, attempt } = aWriter({ keep: "all" });
    const attempts = Array.from({ length: 100 }, (_, index) => attempt(String(index)));
    for (const each of attempts) {
      const log = writer.createLog(each);
      for (let line = 0; line < 30; line++) log("x".repeat(3_900));
    }
    await fire();
    const characters = calls[0]?.chunks.map(({ lines }) => lines.length) ?? [];
    const sum = characters.reduce((total, length) => total + length, 0);
    expect(sum).toBeLessThanOrEqual(4_100_000);
    expect(sum).toBeGreaterThan(3_000_000);
    expect(calls[0]?.chunks.some(({ jobId }) => jobId === "99")).toBe(true);
    expect(calls[0]?.chunks.some(({ jobId }) => jobId === "0")).toBe(false);
  });

  it("keeps an attempt within its bounds, for any sizes of lines and calls", () => {
    const stored = new Map<number, { readonly lines: number; readonly characters: number }>();
    const log = new AttemptLog({ id: "a", leaseVersion: 1, attempt: 1 } as Attempt["job"]);
    let seed = 7;
    const random = (max: number): number => (seed = (seed * 48_271) % 2_147_483_647) % max;
    for (let call = 0; call < 200; call++) {
      for (let line = random(90); line > 0; line--) {
        log.add({ at: 0, level: "info", message: "m".repeat(random(random(3_000) + 1)) });
      }
      const { chunks, gap } = log.take();
      for (const { firstLine, lines } of chunks) {
        const texts = JSON.parse(lines) as unknown[];
        stored.set(firstLine, { lines: texts.length, characters: lines.length });
      }
      for (const firstLine of stored.keys()) {
        if (gap !== null && firstLine >= gap.from && firstLine < gap.before)
          stored.delete(firstLine);
      }
      const all = [...stored.values()];
      const lines = all.reduce((sum, chunk) => sum + chunk.lines, 0);
      const characters = all.reduce((sum, chunk) => sum + chunk.characters, 0);
      expect(lines).toBeLessThanOrEqual(logBounds.firstLines + logBounds.lastLines);
      // Brackets and commas are beside the lines.
      expect(characters).toBeLessThanOrEqual(
        logBounds.firstCharacters + logBounds.lastCharacters + 2 * lines + 2,
      );
      expect(stored.has(0) || call === 0).toBe(true);
    }
  });
});
