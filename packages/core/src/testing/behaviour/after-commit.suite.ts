import { expect } from "vitest";
import { rescheduleJob } from "../../lifecycle/request-reschedule.ts";
import { eventually, graceMs, settlesWithin, within } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";

/** Resolves once a list has this many elements. */
const untilLength = (list: readonly unknown[], length: number): Promise<unknown> =>
  eventually(() => Promise.resolve(list.length >= length ? true : undefined), `${length} calls`);

export const afterCommitSuite: BehaviourSuite = defineBehaviourSuite("after commit", (rule) => {
  rule(
    "`complete` resolves before the commit, and `afterCommit` runs after it",
    async (context) => {
      const { open, userRows } = context;
      const client = await open();
      const seen: unknown[] = [];
      const look = async (moment: string, job: { readonly id: string }): Promise<void> => {
        const { status } = await client.job(job);
        seen.push([moment, status, await userRows.list()]);
      };
      const started = await client.start("task");
      await client.work({
        task: async ({ job, complete, afterCommit }) => {
          afterCommit(() => look("registered before", job));
          const completion = await complete(async (tx) => {
            await userRows.insert(tx, "row");
            return null;
          });
          seen.push("completed");
          afterCommit(() => look("registered after", job));
          return completion;
        },
      });
      await untilLength(seen, 3);
      expect(seen).toEqual([
        "completed",
        ["registered before", "completed", ["row"]],
        ["registered after", "completed", ["row"]],
      ]);
      expect(await client.sequence(started)).toMatchObject({ status: "completed" });
    },
  );

  rule("`afterCommit` runs once for each kind of completion", async ({ open }) => {
    const client = await open();
    const seen: string[] = [];
    const byValue = await client.start("task", { input: "value" });
    const byCallback = await client.start("task", { input: "callback" });
    const continued = await client.start("first", { input: "value" });
    const continuedInside = await client.start("first", { input: "callback" });
    const next = { typeName: "next", input: null } as const;
    const worker = await client.work({
      task: async ({ job, complete, afterCommit }) => {
        afterCommit(() => seen.push(`task by ${String(job.input)}`));
        return job.input === "value" ? complete(null) : complete(async () => null);
      },
      first: async ({ job, complete, afterCommit }) => {
        afterCommit(() => seen.push(`first by ${String(job.input)}`));
        return job.input === "value"
          ? complete.continueWith(next)
          : complete(async ({ continueWith }) => continueWith(next));
      },
      next: async ({ complete }) => complete(null),
    });
    const all = [byValue, byCallback, continued, continuedInside];
    for (const one of all) await client.until(one);
    await worker.stop();
    expect(seen.toSorted()).toEqual([
      "first by callback",
      "first by value",
      "task by callback",
      "task by value",
    ]);
  });

  rule("`afterCommit` does not run for an attempt that stored no completion", async (context) => {
    const { open, stateAdapter } = context;
    let refusals = 1;
    const refusing = interceptState(stateAdapter, {
      beforeCommit: () => {
        if (refusals === 0) return;
        refusals -= 1;
        throw new Error("deferred constraint violated");
      },
    });
    const client = await open();
    const started = await client.start("task");
    const failing = await client.start("other");
    const seen: unknown[] = [];
    const workers = await open({ stateAdapter: refusing });
    const worker = await workers.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, complete, afterCommit }) => {
          afterCommit(() => seen.push(job.attempt));
          // The first commit is refused; the second attempt throws after `complete`.
          const completion = await complete(async () => null);
          if (job.attempt === 2) throw new Error("after complete");
          if (job.attempt === 3 && job.leaseVersion === 3) rescheduleJob({ afterMs: 1 });
          return completion;
        },
      },
      other: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ complete, afterCommit }) => {
          afterCommit(() => seen.push("failed"));
          await complete(null);
          throw new Error("after complete");
        },
      },
    });
    await client.until(started);
    await client.until(failing, "failed");
    await worker.stop();
    expect(await client.job(started)).toMatchObject({ leaseVersion: 4 });
    expect(seen).toEqual([3]);
  });

  rule("`afterCommit` does not run if another worker has acquired the job", async (context) => {
    const { open, openSecond, gate, stateAdapter } = context;
    const client = await open({
      stateAdapter: interceptState(stateAdapter, {
        before: (operation) => {
          if (operation === "renewLeases") throw new StateFault("no renewal");
        },
      }),
    });
    const other = await openSecond();
    const held = gate();
    const seen: string[] = [];
    const leaseConfig = { leaseMs: 150, renewIntervalMs: 30 };
    const byValue = await client.start("task");
    const byCallback = await client.start("other");
    const first = await client.work({
      task: {
        leaseConfig,
        process: async ({ complete, afterCommit }) => {
          afterCommit(() => seen.push("first worker"));
          const completion = await complete("first");
          await held.pass();
          return completion;
        },
      },
      other: {
        leaseConfig,
        process: async ({ complete, afterCommit }) => {
          afterCommit(() => seen.push("first worker"));
          await held.pass();
          return complete(async () => "first");
        },
      },
    });
    await held.arrived(2);
    const second = await other.work(
      {
        task: async ({ complete, afterCommit }) => {
          afterCommit(() => seen.push("second worker"));
          return complete("second");
        },
        other: async ({ complete, afterCommit }) => {
          afterCommit(() => seen.push("second worker"));
          return complete("second");
        },
      },
      { workerId: "second" },
    );
    for (const one of [byValue, byCallback]) {
      expect(await client.until(one)).toMatchObject({ output: "second" });
    }
    held.open();
    await first.stop();
    await second.stop();
    expect(seen).toEqual(["second worker", "second worker"]);
  });

  rule("`afterCommit` runs once if the result of the commit was lost", async (context) => {
    const { open, stateAdapter } = context;
    let isLost = false;
    const losing = interceptState(stateAdapter, {
      afterCommit: () => {
        if (isLost) return;
        isLost = true;
        throw new StateFault("connection lost");
      },
    });
    const client = await open();
    const workers = await open({ stateAdapter: losing });
    const started = await client.start("task");
    const seen: number[] = [];
    const worker = await workers.work({
      task: async ({ job, complete, afterCommit }) => {
        afterCommit(() => seen.push(job.attempt));
        return complete(async () => null);
      },
    });
    await client.until(started);
    await worker.stop();
    expect(isLost).toBe(true);
    expect(seen).toEqual([1]);
  });

  rule("an error in `afterCommit` is logged, and fails nothing", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    const seen: string[] = [];
    const worker = await client.work({
      task: async ({ complete, afterCommit }) => {
        afterCommit(() => {
          throw new Error("thrown after the commit");
        });
        afterCommit(() => Promise.reject(new Error("rejected after the commit")));
        afterCommit(() => seen.push("the third runs"));
        return complete(null);
      },
    });
    await client.until(started);
    await worker.stop();
    expect(seen).toEqual(["the third runs"]);
    expect(await client.job(started)).toMatchObject({ status: "completed", attempt: 1 });
    expect(client.events.of("workerError")).toMatchObject(
      ["thrown", "rejected"].map((how) => ({
        operation: expect.stringContaining(`afterCommit\` callback (job ${started.id})`),
        error: { message: `${how} after the commit` },
      })),
    );
    expect(client.events.of("jobAttemptFailed")).toEqual([]);
  });

  rule("`stop` waits for `afterCommit`, up to its timeout", async ({ open, gate }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    const worker = await client.work({
      task: async ({ complete, afterCommit }) => {
        afterCommit(() => held.pass());
        return complete(null);
      },
    });
    await client.until(started);
    await held.arrived();
    const stopping = worker.stop();
    expect(await settlesWithin(stopping, graceMs)).toBe(false);
    held.open();
    await stopping;
    const again = await client.start("task");
    const hanging = await client.work(
      {
        task: async ({ complete, afterCommit }) => {
          afterCommit(() => new Promise(() => undefined));
          return complete(null);
        },
      },
      { shutdownTimeoutMs: 100 },
    );
    await client.until(again);
    await within(hanging.stop(), "a stop that does not wait any longer");
  });

  rule("`afterCommit` is refused without a function, and after the attempt", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    const errors: unknown[] = [];
    const kept: ((callback: () => unknown) => void)[] = [];
    const call = async (afterCommit: (callback: () => unknown) => void, callback: unknown) =>
      afterCommit(callback as () => unknown);
    const worker = await client.work({
      task: async ({ complete, afterCommit }) => {
        kept.push(afterCommit);
        errors.push(await rejection(call(afterCommit, "no function")));
        return complete(null);
      },
    });
    await client.until(started);
    await worker.stop();
    for (const afterCommit of kept) {
      errors.push(await rejection(call(afterCommit, () => errors.push("run"))));
    }
    expect(errors).toMatchObject([
      { code: "QUEUERT_INVALID_OPTION", option: "afterCommit" },
      { code: "QUEUERT_PROCESS_MISUSE" },
    ]);
  });
});
