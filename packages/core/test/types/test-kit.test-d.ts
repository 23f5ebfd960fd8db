import { createTestQueuert } from "queuert/test";
import { createInProcessStateAdapter, defineUnionJobTypes, type Queuert } from "queuert";
import type { InProcessStateAdapter } from "../../src/in-process/database.ts";
import { describe, expectTypeOf, it } from "vitest";

const jobTypes = defineUnionJobTypes<{
  mail: { input: { to: string }; output: { sent: boolean } };
  audit: { input: null; output: null };
}>();

describe("createTestQueuert", () => {
  it("knows the inputs and outputs of its job types", async () => {
    const kit = await createTestQueuert({ jobTypeDefinitions: jobTypes });
    const sequence = await kit.run({ typeName: "mail", input: { to: "ada" } });
    if (sequence.status === "completed")
      expectTypeOf(sequence.output).toEqualTypeOf<{ sent: boolean }>();
    const started = await kit.started("mail");
    expectTypeOf(started[0]?.input).toEqualTypeOf<{ to: string } | undefined>();
    const next = await kit.runNext("mail");
    expectTypeOf(next?.job.typeName).toEqualTypeOf<"mail" | undefined>();
    // @ts-expect-error no such type
    await kit.runNext("nope");
    // @ts-expect-error not the input of the type
    await kit.run({ typeName: "mail", input: null });
    // @ts-expect-error no such type
    kit.crash({ typeName: "nope" });
    // @ts-expect-error not a method of the store
    kit.failNext("stateAdapter");
    await kit.drain({ skipTime: { days: 1, hours: 2 }, throwErrors: false });
    // @ts-expect-error no such unit
    await kit.advance({ weeks: 1 });
  });

  it("takes workers of a client that is typed by its job types", async () => {
    const makeWorker = (queuert: Queuert<typeof jobTypes, InProcessStateAdapter>) =>
      queuert.createWorker().implementJobType({
        typeName: "audit",
        process: async ({ complete }) => complete(null),
      });
    await createTestQueuert({ jobTypeDefinitions: jobTypes, workers: [makeWorker] });
  });

  it("gives workers the client of the given store", async () => {
    const stateAdapter = createInProcessStateAdapter();
    await createTestQueuert({
      jobTypeDefinitions: jobTypes,
      stateAdapter,
      workers: [
        (queuert) =>
          queuert.createWorker().implementJobType({
            typeName: "mail",
            process: async ({ job, complete }) => complete({ sent: job.input.to !== "" }),
          }),
      ],
    });
  });
});
