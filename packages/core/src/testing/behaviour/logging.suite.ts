import { expect } from "vitest";
import type { AppendLogsParams } from "../../adapters/operator-logs.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { logBounds, type LogLine } from "../../lifecycle/process-job/attempt-log.ts";
import { eventually } from "../waiting.ts";
import type { BehaviourCaseContext } from "./behaviour-case.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { UnrecoverableJobError } from "../../errors.ts";

type Line = LogLine & { readonly number: number; readonly leaseVersion: number };

const linesOf = async (
  { stateAdapter }: Pick<BehaviourCaseContext, "stateAdapter">,
  { id }: { readonly id: string },
): Promise<readonly Line[]> => {
  const chunks = (await stateAdapter.operator?.listLogs?.({ jobId: id, after: null })) ?? [];
  return chunks.flatMap(({ leaseVersion, firstLine, lines }) =>
    (JSON.parse(lines) as LogLine[]).map((line, index) => ({
      ...{ ...line, leaseVersion, number: firstLine + index },
    })),
  );
};

const progressOf = async (
  { stateAdapter }: Pick<BehaviourCaseContext, "stateAdapter">,
  { id }: { readonly id: string },
) => (await stateAdapter.operator?.listProgress?.({ jobIds: [id] }))?.[0];

/** The store, with the calls that store lines. */
const watched = (
  stateAdapter: AnyStateAdapter,
): { readonly stateAdapter: AnyStateAdapter; readonly calls: AppendLogsParams[] } => {
  const calls: AppendLogsParams[] = [];
  const { operator } = stateAdapter;
  const appendLogs = async (params: AppendLogsParams): Promise<void> => {
    calls.push(params);
    await operator?.appendLogs?.(params);
  };
  return { stateAdapter: { ...stateAdapter, operator: { ...operator, appendLogs } }, calls };
};

const failure = (message: string) => new UnrecoverableJobError(message);

export const loggingSuite: BehaviourSuite = defineBehaviourSuite("logging", (rule) => {
  rule("lines and progress of a running attempt are stored while it runs", async (context) => {
    const { open, gate } = context;
    const client = await open({ clockTimes: 20 });
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: async ({ complete, log, progress }) => {
        log("begun", { order: "A-17" });
        log.warn("slow");
        log.debug("not kept");
        progress(0.25, "page 1 of 4");
        progress(0.5, "page 2 of 4");
        await held.pass();
        return complete(null);
      },
    });
    const lines = await eventually(async () => {
      const found = await linesOf(context, started);
      return found.length > 0 ? found : undefined;
    }, "stored lines");
    expect(lines).toEqual([
      {
        ...{ at: lines[0]?.at, level: "info", message: "begun", data: '{"order":"A-17"}' },
        ...{ leaseVersion: 1, number: 0 },
      },
      { at: lines[1]?.at, level: "warn", message: "slow", leaseVersion: 1, number: 1 },
    ]);
    expect(await progressOf(context, started)).toMatchObject({
      fraction: 0.5,
      note: "page 2 of 4",
    });
    held.open();
    await client.until(started);
    // They go with the next call, after the attempt has succeeded. A store may remove one after the other.
    await eventually(
      async () => ((await linesOf(context, started)).length === 0 ? true : undefined),
      "no lines of an attempt that succeeded",
    );
    await eventually(
      async () => ((await progressOf(context, started)) === undefined ? true : undefined),
      "no progress of an attempt that succeeded",
    );
  });

  rule(
    "the lines of a failed attempt stay, also those logged in its transaction",
    async (context) => {
      const { open, userRows } = context;
      const client = await open();
      const started = await client.start("task");
      const worker = await client.work({
        task: async ({ complete, log, progress }) =>
          complete(async (tx) => {
            await userRows.insert(tx, "rolled back");
            log.error("the bank does not answer", new Error("timeout"));
            progress(0.75);
            throw failure("given up");
          }),
      });
      await client.until(started, "failed");
      await worker.stop();
      const [line] = await linesOf(context, started);
      expect(line).toMatchObject({ level: "error", message: "the bank does not answer" });
      expect(line?.data).toContain("Error: timeout");
      expect(await progressOf(context, started)).toMatchObject({ fraction: 0.75, note: null });
      expect(await userRows.list()).toEqual([]);
    },
  );

  rule(
    "a job that logs nothing is in no call, and one that succeeds leaves nothing",
    async (context) => {
      const { stateAdapter, calls } = watched(context.stateAdapter);
      const client = await context.open({ stateAdapter });
      const quiet = await client.start("task");
      const logging = await client.start("first");
      const worker = await client.work({
        task: async ({ complete }) => complete(null),
        first: async ({ complete, log, progress }) => {
          log("in time");
          progress(1);
          return complete.continueWith({ typeName: "next", input: null });
        },
        next: async ({ complete }) => complete(null),
      });
      for (const job of [quiet, logging]) await client.until(job);
      await worker.stop();
      const named = calls.flatMap(({ chunks, progress, forget }) => [
        ...chunks,
        ...progress,
        ...forget,
      ]);
      expect(named.filter(({ jobId }) => jobId !== logging.id)).toEqual([]);
      expect(await linesOf(context, logging)).toEqual([]);
      expect(await progressOf(context, logging)).toBeUndefined();
    },
  );

  rule(
    "`attemptLogs` keeps the lines of all attempts, of important lines only, or of none",
    async (context) => {
      const { stateAdapter, calls } = watched(context.stateAdapter);
      const run = async (attemptLogs: { keep?: "all" | "none"; level?: "debug" | "error" }) => {
        const client = await context.open({ stateAdapter, attemptLogs });
        const started = await client.start("task");
        const worker = await client.work({
          task: async ({ complete, log, progress }) => {
            for (const level of ["debug", "info", "warn", "error"] as const) log[level](level);
            progress(0.5);
            return complete(null);
          },
        });
        await client.until(started);
        await worker.stop();
        await client.queuert.close();
        const messages = (await linesOf(context, started)).map(({ message }) => message);
        return [messages, (await progressOf(context, started))?.fraction];
      };
      expect(await run({ keep: "all" })).toEqual([["info", "warn", "error"], 0.5]);
      expect(await run({ keep: "all", level: "debug" })).toEqual([
        ["debug", "info", "warn", "error"],
        0.5,
      ]);
      expect(await run({ keep: "all", level: "error" })).toEqual([["error"], 0.5]);
      const before = calls.length;
      expect(await run({ keep: "none" })).toEqual([[], undefined]);
      expect(calls).toHaveLength(before);
    },
  );

  rule(
    "an attempt keeps its first lines and its last ones, each of a bounded length",
    async (context) => {
      const { open, gate } = context;
      const client = await open({ clockTimes: 20 });
      const held = gate();
      const started = await client.start("task");
      const worker = await client.work({
        task: async ({ log }) => {
          log("x".repeat(9_000), { text: "y".repeat(9_000) });
          for (let line = 1; line < 300; line++) log(`line ${line}`);
          await held.pass();
          for (let line = 300; line < 900; line++) log(`line ${line}`);
          throw failure("given up");
        },
      });
      await eventually(
        async () => ((await linesOf(context, started)).length === 300 ? true : undefined),
        "the lines of the first second",
      );
      held.open();
      await client.until(started, "failed");
      await worker.stop();
      const lines = await linesOf(context, started);
      expect(lines[0]?.message).toBe("x".repeat(logBounds.messageCharacters));
      expect(lines[0]?.data).toBe('"‹9011 characters of data are left out›"');
      const numbers = lines.map(({ number }) => number);
      expect(numbers).toEqual([
        ...Array.from({ length: 100 }, (_, line) => line),
        ...Array.from({ length: 400 }, (_, line) => line + 500),
      ]);
      expect(lines.at(-1)?.message).toBe("line 899");
    },
  );

  rule("`log` and `progress` never throw, and take any value", async (context) => {
    const client = await context.open({ attemptLogs: { keep: "all" } });
    const started = await client.start("task");
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const thrower = {
      toJSON: () => {
        throw new Error("no");
      },
    };
    const hostile: unknown[] = [circle, thrower, 1n, Symbol("s"), () => 1, null, "\0\ud800", NaN];
    const worker = await client.work({
      task: async ({ complete, log, progress }) => {
        for (const value of hostile) {
          log(value as string, value);
          progress(value as number, value as string);
        }
        progress(-3, "\0\ud800");
        return complete(null);
      },
    });
    await client.until(started);
    await worker.stop();
    expect(await linesOf(context, started)).toHaveLength(hostile.length);
    expect(await progressOf(context, started)).toMatchObject({ fraction: 0, note: "��" });
  });

  rule("lines are stored when the store answers again", async (context) => {
    const { operator } = context.stateAdapter;
    let refusals = 2;
    const appendLogs = async (params: AppendLogsParams): Promise<void> => {
      if (refusals-- > 0) throw Object.assign(new Error("away"), { code: "ECONNRESET" });
      await operator?.appendLogs?.(params);
    };
    const stateAdapter = {
      ...context.stateAdapter,
      capabilities: { ...context.stateAdapter.capabilities, isTransientError: () => true },
      operator: { ...operator, appendLogs },
    };
    const client = await context.open({ stateAdapter, clockTimes: 20 });
    const started = await client.start("task");
    await client.work({
      task: async ({ log }) => {
        log("kept");
        throw failure("given up");
      },
    });
    await client.until(started, "failed");
    await eventually(
      async () => ((await linesOf(context, started)).length === 1 ? true : undefined),
      "the line after two refusals",
    );
  });
});
