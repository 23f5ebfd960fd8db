import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createQueuert,
  defineUnionJobTypes,
  type JobTypes,
} from "../../src/index.ts";
import { createOperator } from "../../src/operator.ts";

type Definitions = {
  "email.send": { input: { to: string }; output: null };
  ping: { input: null; output: null };
};
type Catalogue = NonNullable<Parameters<typeof defineUnionJobTypes<Definitions>>[0]>;

const anything = z.unknown();

const jobTypesOf = (email: object, ping: object = {}): JobTypes<Definitions> =>
  defineUnionJobTypes<Definitions>({
    "email.send": { entry: true, ...email },
    ping: { entry: true, ...ping },
  } as Catalogue);

const renamed = jobTypesOf({ formerNames: ["send-mail"] });

/** A client of the version before, and one of today, on one store and one transport. */
const openBoth = async () => {
  const stateAdapter = createInProcessStateAdapter();
  const notifyAdapter = createInProcessNotifyAdapter();
  const before = await createQueuert({
    stateAdapter,
    notifyAdapter,
    jobTypeDefinitions: defineUnionJobTypes<{
      "send-mail": { input: { to: string }; output: null };
    }>(),
  });
  const today = await createQueuert({ stateAdapter, notifyAdapter, jobTypeDefinitions: renamed });
  closing.push(before, today);
  return { before, today, stateAdapter };
};

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const client of closing.splice(0)) await client.close();
});

describe("a catalogue with versions is refused at the door", () => {
  const stateAdapter = createInProcessStateAdapter();
  const open = (jobTypeDefinitions: JobTypes<Definitions>) =>
    createQueuert({ stateAdapter, jobTypeDefinitions });

  it.each([
    ["a name that is a job type", { formerNames: ["ping"] }, {}, "a job type of this name"],
    ["one name twice", { formerNames: ["old"] }, { formerNames: ["old"] }, '"email.send" has this'],
    ["no array", { formerNames: "old" }, {}, "give an array of names"],
    ["an empty name", { formerNames: [""] }, {}, "formerNames"],
    ["an upcast without a schema", { upcast: [] }, {}, "give the schema `input` as well"],
    ["upcasts that are no array", { input: anything, upcast: {} }, {}, "give an array of"],
    ["an upcast without `from`", { input: anything, upcast: [{ to: () => 1 }] }, {}, "from"],
    ["an upcast without `to`", { input: anything, upcast: [{ from: anything }] }, {}, "to"],
    ["an output without a schema", { upcastOutput: [] }, {}, "give the schema `output`"],
  ])("%s", async (_name, email, ping, message) => {
    await expect(open(jobTypesOf(email, ping))).rejects.toMatchObject({
      code: "QUEUERT_INVALID_OPTION",
      message: expect.stringContaining(message),
    });
  });

  it("names the type of today for a start by a former name", async () => {
    const queuert = await open(renamed);
    closing.push(queuert);
    const start = queuert.startJobSequence as (options: object) => Promise<unknown>;
    await expect(start({ typeName: "send-mail", input: {}, autocommit: true })).rejects.toThrow(
      'Job type "send-mail" is not defined',
    );
  });
});

describe("jobs of a former name", () => {
  it("wake an idle worker of today", async () => {
    const { before, today } = await openBoth();
    await today
      .createWorker()
      .implementJobType({
        typeName: "email.send",
        process: async ({ complete }) => complete(null),
      })
      .start({ pollIntervalMs: 60_000 });
    const { id } = await before.startJobSequence({
      typeName: "send-mail",
      input: { to: "ada" },
      autocommit: true,
    });
    const done = await today.waitForJobSequenceCompletion({
      id,
      typeName: "email.send",
      timeoutMs: 5_000,
    });
    expect(done.typeName).toBe("email.send");
  });

  it("are counted, searched and explained under the name of today", async () => {
    const { before, today, stateAdapter } = await openBoth();
    const input = { to: "ada" };
    const old = { typeName: "send-mail", input, autocommit: true } as const;
    const later = { ...old, schedule: { afterMs: 3_600_000 } } as const;
    await before.startJobSequence(later);
    const { id } = await before.startJobSequence(old);
    await today.startJobSequence({ typeName: "email.send", input, autocommit: true });
    const operator = createOperator({ queuert: today });
    const { types } = await operator.getOverview();
    expect(types).toMatchObject([{ typeName: "email.send", pending: 3 }]);
    const { items } = await operator.listJobs({ filter: "type:email.send" });
    expect(items.map(({ typeName }) => typeName)).toEqual(Array(3).fill("email.send"));
    const worker = await today
      .createWorker()
      .implementJobType({
        typeName: "email.send",
        process: async ({ complete }) => complete(null),
      })
      .start();
    await today.waitForJobSequenceCompletion({ id, typeName: "email.send", timeoutMs: 5_000 });
    // Explanations in a process of the version before compare the stored names.
    const [stored] = (await stateAdapter.operator?.listWorkers?.()) ?? [];
    expect(stored?.types.map(({ typeName }) => typeName)).toEqual(["send-mail", "email.send"]);
    await worker.stop();
  });

  it("come from schedules that were stored with it", async () => {
    const { before, today } = await openBoth();
    const job = { typeName: "send-mail", input: { to: "ada" } } as const;
    await before.transaction((context) =>
      before.upsertSchedules({
        ...context,
        schedules: [{ name: "daily", everyMs: 86_400_000, ...job }],
      }),
    );
    const { items } = await today.listSchedules();
    expect(items).toMatchObject([{ name: "daily", typeName: "email.send" }]);
    await today.transaction((context) => today.triggerSchedules({ ...context, names: ["daily"] }));
    expect((await today.listJobs()).items).toMatchObject([{ typeName: "email.send" }]);
  });
});
