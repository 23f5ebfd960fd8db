import { expect } from "vitest";
import { deferred, graceMs, sleep } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";
import { unhandledDuring } from "./unhandled-during.ts";

export const preparingSuite: BehaviourSuite = defineBehaviourSuite("preparing", (rule) => {
  rule("atomic: prepare, processing and complete share one transaction", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, prepare, complete }) => {
          const prepared = await prepare({ mode: "atomic" }, async (tx) => {
            await userRows.insert(tx, `prepared ${job.attempt}`);
            return "from prepare";
          });
          if (job.attempt === 1) throw new Error("between");
          return complete(async (tx) => {
            await userRows.insert(tx, "completed");
            return prepared;
          });
        },
      },
    });
    expect(await client.until(started)).toMatchObject({ output: "from prepare" });
    expect(await userRows.list()).toEqual(["prepared 2", "completed"]);
  });

  rule("atomic: a value completes in the transaction that prepare opened", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: async ({ prepare, complete }) => {
        await prepare({ mode: "atomic" }, (tx) => userRows.insert(tx, "prepared"));
        expect(await userRows.list()).toEqual([]);
        return complete("by value");
      },
    });
    expect(await client.until(started)).toMatchObject({ output: "by value" });
    expect(await userRows.list()).toEqual(["prepared"]);
  });

  rule("staged: the writes of prepare stay when a later step throws", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { initialDelayMs: 1 },
        process: async ({ job, prepare, complete }) => {
          const prepared = await prepare({ mode: "staged" }, async (tx) => {
            await userRows.insert(tx, `prepared ${job.attempt}`);
            return job.attempt;
          });
          if (prepared === 1) throw new Error("between");
          return complete(async (tx) => {
            await userRows.insert(tx, "completed");
            return prepared;
          });
        },
      },
    });
    expect(await client.until(started)).toMatchObject({ output: 2 });
    expect(await userRows.list()).toEqual(["prepared 1", "prepared 2", "completed"]);
  });

  rule("staged: no transaction is open between prepare and complete", async (context) => {
    const { open, gate, userRows } = context;
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: async ({ prepare, complete }) => {
        await prepare({ mode: "staged" }, (tx) => userRows.insert(tx, "prepared"));
        await held.pass();
        return complete(null);
      },
    });
    await held.arrived();
    expect(await userRows.list()).toEqual(["prepared"]);
    // A writer of its own is not held up, not even where there can be only one.
    await client.queuert.transaction((tx) => userRows.insert(tx, "meanwhile"));
    held.open();
    await client.until(started);
  });

  rule("auto-setup: without prepare the attempt is staged", async ({ open, gate, userRows }) => {
    const client = await open();
    const held = gate();
    const started = await client.start("task");
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete(null);
      },
    });
    await held.arrived();
    await client.queuert.transaction((tx) => userRows.insert(tx, "meanwhile"));
    expect(await userRows.list()).toEqual(["meanwhile"]);
    held.open();
    await client.until(started);
  });

  rule("auto-setup: complete before prepare makes the attempt atomic", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    const errors: unknown[] = [];
    await client.work({
      task: async (attempt) => {
        const completing = attempt.complete(async (tx) => {
          await userRows.insert(tx, "row");
          return null;
        });
        errors.push(await rejection((async () => attempt.prepare({ mode: "atomic" }))()));
        return completing;
      },
    });
    await client.until(started);
    expect(errors).toMatchObject([
      { code: "QUEUERT_PROCESS_MISUSE", message: "Prepare cannot be accessed after auto-setup" },
    ]);
  });

  rule("prepare cannot be accessed after auto-setup", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    const errors: unknown[] = [];
    await client.work({
      task: async (attempt) => {
        await Promise.resolve();
        errors.push(await rejection((async () => attempt.prepare({ mode: "staged" }))()));
        return attempt.complete(null);
      },
    });
    await client.until(started);
    expect(errors).toMatchObject([{ message: "Prepare cannot be accessed after auto-setup" }]);
  });

  rule("prepare can be called once, and complete can be called once", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    const errors: unknown[] = [];
    await client.work({
      task: async ({ prepare, complete }) => {
        await prepare({ mode: "staged" });
        errors.push(await rejection(prepare({ mode: "staged" })));
        const completion = await complete("first");
        errors.push(await rejection(complete("second")));
        errors.push(await rejection(complete(() => "third")));
        return completion;
      },
    });
    expect(await client.until(started)).toMatchObject({ output: "first" });
    expect(errors).toMatchObject([
      { message: "Prepare can only be called once" },
      { message: "Complete can only be called once" },
      { message: "Complete can only be called once" },
    ]);
  });

  rule("prepare needs a mode that there is", async ({ open }) => {
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ prepare, complete }) => {
          await prepare({ mode: "quick" as "staged" });
          return complete(null);
        },
      },
    });
    expect(await client.until(started, "failed")).toMatchObject({
      error: expect.stringContaining("prepare.mode"),
    });
  });

  rule("prepare that is not awaited before complete shares its transaction", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ prepare, complete }) => {
          const preparing = prepare({ mode: "atomic" }, (tx) => userRows.insert(tx, "prepared"));
          const completion = await complete(async (tx) => {
            await userRows.insert(tx, "completed");
            return null;
          });
          await preparing;
          return completion;
        },
      },
    });
    await client.until(started);
    expect([...(await userRows.list())].sort()).toEqual(["completed", "prepared"]);
  });

  rule("a prepare that is never awaited belongs to the commit all the same", async (context) => {
    const { open, userRows } = context;
    const client = await open();
    const started = await client.start("task");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ prepare, complete }) => {
          void prepare({ mode: "atomic" }, async (tx) => {
            // Still under way when complete has answered.
            await sleep(graceMs);
            await userRows.insert(tx, "prepared");
          });
          return complete(async (tx) => {
            await userRows.insert(tx, "completed");
            return null;
          });
        },
      },
    });
    await client.until(started);
    expect(await userRows.list()).toEqual(["completed", "prepared"]);
  });

  rule("a process function must return the result of complete", async ({ open, userRows }) => {
    const client = await open();
    const forgotten = await client.start("task", { input: "forgotten" });
    const foreign = await client.start("task", { input: "foreign" });
    const stolen: unknown[] = [];
    const thief = await client.start("other");
    await client.work({
      other: async ({ complete }) => {
        const completion = await complete(null);
        stolen.push(completion);
        return completion;
      },
    });
    await client.until(thief);
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete }) => {
          await complete(async (tx) => {
            await userRows.insert(tx, "row");
            return null;
          });
          // The compiler would refuse both.
          return (job.input === "foreign" ? stolen[0] : undefined) as never;
        },
      },
    });
    for (const each of [forgotten, foreign]) {
      expect(await client.until(each, "failed")).toMatchObject({
        error: expect.stringContaining("must return the result of complete"),
      });
    }
    expect(await userRows.list()).toEqual([]);
  });

  rule(
    "a complete that is not awaited leaves no transaction and no writes behind",
    async (context) => {
      const { open, userRows } = context;
      const client = await open();
      const started = await client.start("task");
      const strays: Promise<unknown>[] = [];
      await client.work({
        task: {
          retryConfig: { maxAttempts: 1 },
          process: async ({ complete }) => {
            const stray = complete(async (tx) => {
              await userRows.insert(tx, "stray");
              return null;
            });
            strays.push(stray.catch((error: unknown) => error));
            // The compiler would refuse it.
            return undefined as never;
          },
        },
      });
      await client.until(started, "failed");
      await Promise.all(strays);
      // The next writer is not blocked, and sees nothing of it.
      await client.queuert.transaction((tx) => userRows.insert(tx, "next"));
      expect(await userRows.list()).toEqual(["next"]);
    },
  );

  rule(
    "a complete that is forgotten and throws ends nothing but its own attempt",
    async ({ open, userRows }) => {
      const client = await open();
      const started = await client.start("task");
      const throwing = deferred<void>();
      const unhandled = await unhandledDuring(async () => {
        await client.work({
          task: {
            retryConfig: { maxAttempts: 1 },
            process: async ({ complete }) => {
              void complete(async (tx) => {
                await userRows.insert(tx, "row");
                throwing.resolve();
                throw new Error("not read");
              });
              await throwing.promise;
              await sleep(graceMs);
              // The compiler would refuse it.
              return undefined as never;
            },
          },
        });
        expect(await client.until(started, "failed")).toMatchObject({
          error: expect.stringMatching(/must return the result of complete[^]*not read/u),
        });
      });
      expect(unhandled).toEqual([]);
      expect(await userRows.list()).toEqual([]);
    },
  );

  rule(
    "a transaction is not committed if user code in it has thrown, caught or not",
    async ({ open, userRows }) => {
      const client = await open();
      const inputs = ["caught", "not awaited"];
      const started = await Promise.all(inputs.map((input) => client.start("task", { input })));
      const unhandled = await unhandledDuring(async () => {
        await client.work({
          task: {
            retryConfig: { maxAttempts: 1 },
            process: async ({ job, prepare, complete }) => {
              const preparing = prepare({ mode: "atomic" }, async (tx) => {
                await userRows.insert(tx, "half");
                throw new Error("half prepared");
              });
              if (job.input === "caught") await preparing.catch(() => undefined);
              return complete(async (tx) => {
                await userRows.insert(tx, "completed");
                return null;
              });
            },
          },
        });
        for (const each of started) {
          expect(await client.until(each, "failed")).toMatchObject({
            error: expect.stringContaining("half prepared"),
          });
        }
      });
      expect(unhandled).toEqual([]);
      expect(await userRows.list()).toEqual([]);
    },
  );

  rule("a prepare that is never awaited belongs to a completion by value, too", async (context) => {
    const { open, userRows, stateAdapter } = context;
    const opening = context.gate();
    const slow = interceptState(stateAdapter, {});
    const { runInTransaction } = slow;
    const slowly: typeof runInTransaction = async (callback) => {
      await opening.pass();
      return runInTransaction(callback);
    };
    const client = await open();
    const worker = await open({ stateAdapter: { ...slow, runInTransaction: slowly } });
    const started = await client.start("task");
    await worker.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ prepare, complete }) => {
          void prepare({ mode: "atomic" }, (tx) => userRows.insert(tx, "prepared"));
          return complete(null);
        },
      },
    });
    await opening.arrived();
    // Its process function has returned long ago.
    await sleep(graceMs);
    opening.open();
    await client.until(started);
    expect(await userRows.list()).toEqual(["prepared"]);
  });
});
