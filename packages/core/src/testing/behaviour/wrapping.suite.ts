import { expect } from "vitest";
import { UnrecoverableJobError } from "../../errors.ts";
import type { WorkerMiddlewareParts } from "../../public-types/worker.ts";
import type { BehaviourClient, Processes } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";

type Parts = WorkerMiddlewareParts<object>;

const workWith = async (
  client: BehaviourClient,
  middleware: readonly Parts[],
  processes: Processes,
): Promise<void> => {
  // The options of the case name functions only; a worker takes both.
  await client.work(processes, { middleware: middleware as never });
};

export const wrappingSuite: BehaviourSuite = defineBehaviourSuite("wrapping", (rule) => {
  rule("middleware runs around the callbacks, in their transactions", async (test) => {
    const client = await test.open();
    const seen: string[] = [];
    const around = (name: string): Parts => ({
      process: async (_context, next) => {
        seen.push(`${name} process`);
        return next();
      },
      prepare: async ({ transaction, job }, next) => {
        await test.userRows.insert(transaction ?? {}, `${name} prepare of ${job.typeName}`);
        await next();
      },
      complete: async ({ transaction, attempt }, next) => {
        await next();
        await test.userRows.insert(transaction ?? {}, `${name} complete ${attempt}`);
      },
    });
    const job = await client.start("task");
    await workWith(client, [around("outer"), around("inner")], {
      task: async ({ prepare, complete }) => {
        const found = await prepare({ mode: "staged" }, async () => "found");
        return complete(async (context) => {
          await test.userRows.insert(context, "callback");
          return found;
        });
      },
    });
    expect(await client.until(job)).toMatchObject({ output: "found" });
    expect(seen).toEqual(["outer process", "inner process"]);
    expect(await test.userRows.list()).toEqual([
      "outer prepare of task",
      "inner prepare of task",
      "callback",
      "inner complete 1",
      "outer complete 1",
    ]);
  });

  rule("an error of middleware undoes the transaction, and fails the attempt", async (test) => {
    const client = await test.open();
    const job = await client.start("task");
    const refuse: Parts = {
      complete: async (_context, next) => {
        await next();
        throw new UnrecoverableJobError("not today");
      },
    };
    await workWith(client, [refuse], {
      task: async ({ complete }) =>
        complete(async (context) => {
          await test.userRows.insert(context, "undone");
          return null;
        }),
    });
    const failed = await client.untilJob(job, "failed");
    expect(failed.lastAttemptError).toContain("not today");
    expect(await test.userRows.list()).toEqual([]);
  });

  rule("by value there is no transaction, and middleware runs all the same", async ({ open }) => {
    const client = await open();
    const seen: unknown[] = [];
    const watch: Parts = {
      complete: async ({ transaction }, next) => {
        seen.push(transaction);
        await next();
      },
    };
    const ended = await client.start("first", { input: "ends" });
    const continued = await client.start("first", { input: "continues" });
    await workWith(client, [watch], {
      first: async ({ job, complete }) =>
        job.input === "ends"
          ? complete("done")
          : complete.continueWith({ typeName: "next", input: null }),
      next: async ({ complete }) => complete("next"),
    });
    expect(await client.until(ended)).toMatchObject({ output: "done" });
    expect(await client.until(continued)).toMatchObject({ output: "next" });
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  rule("middleware that does not call `next` fails the attempt", async ({ open }) => {
    const client = await open();
    const job = await client.start("task");
    await workWith(client, [{ complete: async () => undefined }], {
      task: async ({ complete }) => complete(null),
    });
    const failed = await client.untilJob(job, "failed");
    expect(failed.lastAttemptError).toContain("must call `next`");
  });

  rule("anything but functions is refused by name", async ({ open }) => {
    const { queuert } = await open();
    for (const [field, middleware] of [
      ["middleware", null],
      ["middleware.prepare", { prepare: 5 }],
      ["middleware.before", { before: async () => undefined }],
    ] as const) {
      const use = async (): Promise<unknown> => queuert.createWorker().use(middleware as never);
      expect(await rejection(use())).toMatchObject({ message: expect.stringContaining(field) });
    }
  });
});
