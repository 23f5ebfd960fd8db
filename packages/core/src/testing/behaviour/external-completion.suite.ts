import { expect } from "vitest";
import { graceMs, sleep } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

/** Completes the current job of a `task` sequence with an output; it may meet the worker's renewal of that job. */
const completeTask = (client: BehaviourClient, id: string, output: string): Promise<unknown> =>
  client.transact((tx) =>
    client.queuert.completeJobSequence({
      ...tx,
      typeName: "task",
      id,
      complete: async ({ job, complete }) => complete(job, () => output),
    }),
  );

export const externalCompletionSuite: BehaviourSuite = defineBehaviourSuite(
  "external completion",
  (rule) => {
    rule("a pending sequence is completed without a worker", async ({ open, userRows }) => {
      const client = await open();
      const { id } = await client.start("task", { input: "in" });
      const completed = await client.queuert.transaction((tx) =>
        client.queuert.completeJobSequence({
          ...tx,
          typeName: "task",
          id,
          complete: async ({ job, complete }) => {
            expect(job).toMatchObject({ id, status: "pending", input: "in" });
            return complete(job, async (context) => {
              await userRows.insert(context, "approved");
              return "out";
            });
          },
        }),
      );
      expect(completed).toMatchObject({ status: "completed", output: "out", completedBy: null });
      expect(await client.sequence({ id })).toMatchObject({ status: "completed", output: "out" });
      expect(await client.job({ id })).toMatchObject({ attempt: 0, completedBy: null });
      expect(await userRows.list()).toEqual(["approved"]);
    });

    rule("several steps are completed in one call", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("first");
      await client.queuert.transaction((tx) =>
        client.queuert.completeJobSequence({
          ...tx,
          typeName: "first",
          id,
          complete: async ({ job, complete }) => {
            if (job.typeName !== "first") throw new Error("not at the start");
            const next = await complete(job, ({ continueWith }) =>
              continueWith({ typeName: "next", input: "two" }),
            );
            expect(next).toMatchObject({ typeName: "next", status: "pending", input: "two" });
            return complete(next as { id: string; typeName: "next" }, () => "the end");
          },
        }),
      );
      expect(await client.sequence({ id })).toMatchObject({ output: "the end" });
      const { items } = await client.queuert.listJobs({ sequenceId: id, order: "asc" });
      expect(items.map(({ status, typeName }) => [typeName, status])).toEqual([
        ["first", "completed"],
        ["next", "completed"],
      ]);
    });

    rule("a sequence that is completed in part goes on with a worker", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("first");
      await client.queuert.transaction((tx) =>
        client.queuert.completeJobSequence({
          ...tx,
          typeName: "first",
          id,
          complete: async ({ job, complete }) => {
            if (job.typeName !== "first") throw new Error("not at the start");
            return complete(job, ({ continueWith }) =>
              continueWith({ typeName: "next", input: "for the worker" }),
            );
          },
        }),
      );
      await client.work({ next: async ({ job, complete }) => complete([job.input]) });
      expect(await client.until({ id })).toMatchObject({ output: ["for the worker"] });
    });

    rule("nothing is completed when the callback does not complete", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("task");
      const answer = await client.queuert.transaction((tx) =>
        client.queuert.completeJobSequence({
          ...tx,
          typeName: "task",
          id,
          complete: async () => "only looked",
        }),
      );
      expect(answer).toBe("only looked");
      expect(await client.job({ id })).toMatchObject({ status: "pending" });
    });

    rule("everything is rolled back with the caller's transaction", async ({ open, userRows }) => {
      const client = await open();
      const { id } = await client.start("task");
      const error = await rejection(
        client.queuert.transaction(async (tx) => {
          await client.queuert.completeJobSequence({
            ...tx,
            typeName: "task",
            id,
            complete: async ({ job, complete }) =>
              complete(job, async (context) => {
                await userRows.insert(context, "row");
                return null;
              }),
          });
          throw new Error("rolled back on purpose");
        }),
      );
      expect(error).toMatchObject({ message: "rolled back on purpose" });
      expect(await client.job({ id })).toMatchObject({ status: "pending" });
      expect(await userRows.list()).toEqual([]);
      expect(client.events.of("jobCompleted")).toEqual([]);
    });

    rule(
      "a blocked job is completed as it is, and not run when its blocker ends",
      async (context) => {
        const { open } = context;
        const client = await open();
        const blocker = await client.start("task");
        const { id } = await client.start("waiting", {
          startBlockers: () => Promise.resolve([blocker]),
        });
        await client.queuert.transaction((tx) =>
          client.queuert.completeJobSequence({
            ...tx,
            typeName: "waiting",
            id,
            complete: async ({ job, complete }) => {
              expect(job).toMatchObject({ status: "blocked", blockers: [{ id: blocker.id }] });
              return complete(job, () => "skipped");
            },
          }),
        );
        let runs = 0;
        await client.work({
          task: async ({ complete }) => complete(null),
          waiting: async ({ complete }) => {
            runs += 1;
            return complete("run");
          },
        });
        await client.until(blocker);
        expect(await client.sequence({ id })).toMatchObject({ output: "skipped" });
        expect(runs).toBe(0);
      },
    );

    rule("completing a blocker releases its dependants", async ({ open }) => {
      const client = await open();
      const blocker = await client.start("task");
      const waiting = await client.start("waiting", {
        startBlockers: () => Promise.resolve([blocker]),
      });
      await client.work({
        waiting: async ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
      });
      await completeTask(client, blocker.id, "by hand");
      expect(await client.until(waiting)).toMatchObject({ output: ["by hand"] });
    });

    rule("a continuation with blockers can be started by hand", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("first");
      await client.queuert.transaction((tx) =>
        client.queuert.completeJobSequence({
          ...tx,
          typeName: "first",
          id,
          complete: async ({ job, complete }) => {
            if (job.typeName !== "first") throw new Error("not at the start");
            return complete(job, ({ continueWith }) =>
              continueWith({
                typeName: "gated",
                input: null,
                startBlockers: async () => [
                  { ...(await client.startIn(tx, "task")), typeName: "task" },
                ],
              }),
            );
          },
        }),
      );
      expect(await client.sequence({ id })).toMatchObject({ status: "blocked" });
      await client.work({
        task: async ({ complete }) => complete("blocker"),
        gated: async ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
      });
      expect(await client.until({ id })).toMatchObject({ output: ["blocker"] });
    });

    rule("a finished sequence is refused", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("task");
      await completeTask(client, id, "first");
      expect(await rejection(completeTask(client, id, "second"))).toMatchObject({
        code: "QUEUERT_JOB_ALREADY_COMPLETED",
        sequenceId: id,
        message: expect.stringContaining(`Sequence ${id} has ended already`),
        jobId: id,
      });
      expect(await client.sequence({ id })).toMatchObject({ output: "first" });
    });

    rule("a sequence that does not exist, and a wrong type, are refused", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("other");
      expect(await rejection(completeTask(client, id, "out"))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: "typeName",
      });
      await client.queuert.transaction((tx) =>
        client.queuert.deleteJobSequences({ ...tx, rootSequenceIds: [id] }),
      );
      expect(await rejection(completeTask(client, id, "out"))).toMatchObject({
        code: "QUEUERT_JOB_NOT_FOUND",
      });
    });

    rule("a completion outside a transaction is refused", async ({ open, stateAdapter }) => {
      const client = await open();
      const { id } = await client.start("task");
      const error = await stateAdapter.provideContext((context) =>
        rejection(
          client.queuert.completeJobSequence({
            ...context,
            typeName: "task",
            id,
            complete: async ({ job, complete }) => complete(job, () => null),
          }),
        ),
      );
      expect(error).toMatchObject({ code: "QUEUERT_NOT_IN_TRANSACTION" });
      expect(await client.job({ id })).toMatchObject({ status: "pending" });
    });

    rule("only the current job can be completed, once", async ({ open }) => {
      const client = await open();
      const { id } = await client.start("task");
      const errors: unknown[] = [];
      await client.queuert.transaction((tx) =>
        client.queuert.completeJobSequence({
          ...tx,
          typeName: "task",
          id,
          complete: async ({ job, complete }) => {
            const foreign = { id: "another", typeName: "task" } as const;
            errors.push(await rejection(complete(foreign, () => null)));
            const completed = await complete(job, () => "out");
            errors.push(await rejection(complete(job, () => "again")));
            return completed;
          },
        }),
      );
      expect(errors).toMatchObject([
        { code: "QUEUERT_PROCESS_MISUSE" },
        { code: "QUEUERT_JOB_ALREADY_COMPLETED" },
      ]);
      expect(await client.sequence({ id })).toMatchObject({ output: "out" });
    });

    rule(
      "steps that are not awaited belong to the call all the same",
      async ({ open, userRows }) => {
        const client = await open();
        const { id } = await client.start("task");
        const steps: Promise<unknown>[] = [];
        await client.queuert.transaction((tx) =>
          client.queuert.completeJobSequence({
            ...tx,
            typeName: "task",
            id,
            complete: async ({ job, complete }) => {
              const step = complete(job, async (context) => {
                // Still under way when the callback around it has ended.
                await sleep(graceMs);
                await userRows.insert(context, "approved");
                return "out";
              });
              steps.push(step);
            },
          }),
        );
        expect(await client.sequence({ id })).toMatchObject({ status: "completed", output: "out" });
        expect(await userRows.list()).toEqual(["approved"]);
        await Promise.all(steps);
      },
    );

    rule(
      "the functions of a callback are refused when the callback has ended",
      async ({ open }) => {
        const client = await open();
        const { id } = await client.start("first");
        const late: (() => Promise<unknown>)[] = [];
        await client.queuert.transaction(async (tx) => {
          await client.queuert.completeJobSequence({
            ...tx,
            typeName: "first",
            id,
            complete: async ({ job, complete }) => {
              if (job.typeName !== "first") throw new Error("not the first");
              late.push(() => complete(job, () => "late"));
              await complete(job, async ({ continueWith }) => {
                late.push(() => continueWith({ typeName: "next", input: "late" }));
                return "out";
              });
            },
          });
          for (const call of late) {
            expect(await rejection(call())).toMatchObject({ code: "QUEUERT_TRANSACTION_ENDING" });
          }
        });
        expect(await client.sequence({ id })).toMatchObject({ status: "completed", output: "out" });
      },
    );

    rule(
      "a running worker is told, and the caller's outcome stands",
      async ({ open, openSecond, gate }) => {
        const client = await open();
        const second = await openSecond();
        const held = gate();
        const aborted = gate();
        const { id } = await client.start("task");
        await client.work({
          task: {
            leaseConfig: { leaseMs: 400, renewIntervalMs: 50 },
            process: async ({ signal, complete }) => {
              signal.addEventListener("abort", () => void aborted.pass());
              await held.pass();
              return complete("the worker's");
            },
          },
        });
        await held.arrived();
        await completeTask(second, id, "by hand");
        await aborted.arrived();
        held.open();
        await client.events.until("jobAttemptAlreadyCompleted");
        expect(await client.sequence({ id })).toMatchObject({ output: "by hand" });
      },
    );

    rule(
      "two completions of one sequence at the same time: one wins",
      async ({ open, openSecond }) => {
        const client = await open();
        const second = await openSecond();
        const { id } = await client.start("task");
        const settled = await Promise.allSettled([
          completeTask(client, id, "a"),
          completeTask(second, id, "b"),
        ]);
        expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        const events = [...client.events.of("jobCompleted"), ...second.events.of("jobCompleted")];
        expect(events).toHaveLength(1);
      },
    );
  },
);
