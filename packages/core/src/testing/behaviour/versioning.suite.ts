import { expect } from "vitest";
import { defineUnionJobTypes, type JobTypes } from "../../job-types/define-job-types.ts";
import type { JsonValue } from "../../job-types/json.ts";
import type { StandardSchemaV1 } from "../../job-types/standard-schema.ts";
import { defineUpcast } from "../../job-types/upcast.ts";
import { sleep } from "../waiting.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { type BehaviourDefinitions, cataloguedJobTypes } from "./definitions.ts";

// The case's first client is a process of the version before: it has no catalogue, and calls the type `old-task`.
const former = "old-task";
const key = "the-key";
/** Long enough for a job that must not begin. */
const quietMs = 100;

interface Completing {
  readonly complete: (output: JsonValue) => Promise<unknown>;
}
type Entries = NonNullable<Parameters<typeof defineUnionJobTypes<BehaviourDefinitions>>[0]>;

const entries = cataloguedJobTypes.catalogue as unknown as Entries;

const withTask = (task: Partial<Entries["task"]>): JobTypes<BehaviourDefinitions> =>
  defineUnionJobTypes<BehaviourDefinitions>({ ...entries, task: { entry: true, ...task } });

const renamed = withTask({ formerNames: ["older-task", former] });

/** Accepts objects with exactly these fields. */
const fields = (...names: readonly string[]): StandardSchemaV1<unknown, JsonValue> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      JSON.stringify(Object.keys(value ?? {}).sort()) === JSON.stringify(names)
        ? { value: value as JsonValue }
        : { issues: [{ message: `not ${names.join()}` }] },
  },
});

/** The version before had `{ to }`; this one has `{ locale, to }`. */
const toLocale = defineUpcast({
  from: fields("to"),
  to: async (old) => ({ ...(old as { to: string }), locale: "en" }),
});

const grown = withTask({
  input: fields("locale", "to"),
  upcast: [toLocale],
  output: fields("locale", "to"),
  upcastOutput: [toLocale],
});

export const versioningSuite: BehaviourSuite = defineBehaviourSuite("versioning", (rule) => {
  rule("a job of a former name runs, and is read, under the name of today", async (context) => {
    const before = await context.open();
    const client = await context.openSecond({ jobTypes: renamed });
    const old = await before.start(former, { input: 1 });
    const fresh = await client.start("task", { input: 2 });
    const worker = await client.work({
      task: async ({ job, complete }) => complete([job.typeName, job.sequenceTypeName, job.input]),
    });
    const task = { typeName: "task" } as const;
    expect(await client.until(old)).toMatchObject({ ...task, output: ["task", "task", 1] });
    expect(await client.until(fresh)).toMatchObject({ ...task, output: ["task", "task", 2] });
    // A stopped worker has emitted all its events.
    await worker.stop();
    expect(client.events.of("jobCompleted")).toMatchObject([{ ...task }, { ...task }]);
    for (const filter of [task, { sequenceTypeName: task.typeName }] as const) {
      const { items } = await client.queuert.listJobs({ ...filter, order: "asc" });
      expect(items).toMatchObject([{ id: old.id, ...task }, { id: fresh.id }]);
    }
    const { items } = await client.queuert.listJobSequences({ typeName: "task", order: "asc" });
    expect(items).toMatchObject([{ id: old.id, ...task }, { id: fresh.id }]);
    expect(await client.queuert.getJob({ id: old.id, typeName: "task" })).toMatchObject(task);
    // The record keeps its name: processes of the version before find it.
    expect((await before.job(old)).typeName).toBe(former);
  });

  rule("processes of both versions run the jobs of their names beside each other", async (c) => {
    const before = await c.open();
    const client = await c.openSecond({ jobTypes: renamed });
    const held = c.gate();
    const complete = { process: async (given: Completing) => given.complete("before") };
    await before.work({ [former]: complete } as object);
    const started = await before.start(former);
    expect(await client.until(started)).toMatchObject({ output: "before", typeName: "task" });
    await client.work({
      task: async ({ complete }) => {
        await held.pass();
        return complete("after");
      },
    });
    const fresh = await client.start("task");
    held.open();
    expect(await before.until(fresh)).toMatchObject({ output: "after", typeName: "task" });
  });

  rule("a sequence under a former name holds its key", async ({ open, openSecond }) => {
    const before = await open();
    const client = await openSecond({ jobTypes: renamed });
    const old = await before.start(former, { deduplication: { key } });
    expect(await client.start("task", { deduplication: { key } })).toMatchObject({
      id: old.id,
      deduplicated: true,
      typeName: "task",
    });
    const worker = await client.work({ task: async ({ complete }) => complete(null) });
    await client.until(old);
    await worker.stop();
    const all = { key, strategy: "all" as const };
    expect(await client.start("task", { deduplication: all })).toMatchObject({ id: old.id });
    const next = await client.start("task", { deduplication: { key } });
    expect(next.deduplicated).toBe(false);
    expect(await client.start("task", { deduplication: { key } })).toMatchObject({ id: next.id });
    // Stored with the name of today, and nothing besides.
    const { items } = await before.queuert.listJobs({ order: "asc" });
    expect(items.map(({ id, typeName }) => [id, typeName])).toEqual([
      [old.id, former],
      [next.id, "task"],
    ]);
  });

  rule("a type keeps its limit for jobs of all its names together", async (context) => {
    const before = await context.open();
    const client = await context.openSecond({ jobTypes: renamed });
    const jobs = [];
    for (const typeName of [former, "older-task", former]) jobs.push(await before.start(typeName));
    for (const input of [1, 2]) jobs.push(await client.start("task", { input }));
    let [running, most] = [0, 0];
    await client.work({
      task: {
        concurrency: 2,
        process: async ({ complete }) => {
          most = Math.max(most, ++running);
          await sleep(5);
          running--;
          return complete(null);
        },
      },
    });
    for (const job of jobs) await client.until(job);
    expect(most).toBeLessThanOrEqual(2);
  });

  rule("a pause of a type holds for its former names", async ({ open, openSecond }) => {
    const before = await open();
    const client = await openSecond({ jobTypes: renamed });
    await client.queuert.pause({ jobTypes: ["task"] });
    const old = await before.start(former);
    await client.work({ task: async ({ complete }) => complete(null) });
    await sleep(quietMs);
    expect((await client.job(old)).status).toBe("pending");
    expect(await client.queuert.getPauses()).toMatchObject([{ jobType: "task", state: "paused" }]);
    expect(await client.queuert.resume({ jobTypes: ["task"] })).toEqual({ resumed: 1 });
    await client.until(old);
    expect(await client.queuert.getPauses()).toEqual([]);
  });

  rule("an input and an output of the version before become those of today", async (context) => {
    const before = await context.open();
    const client = await context.openSecond({ jobTypes: grown });
    const done = await before.start("task", { input: { to: "bob" } });
    const waiting = await before.start("waiting", {
      startBlockers: () => Promise.resolve([done]),
    });
    const worker = await before.work({ task: async ({ job, complete }) => complete(job.input) });
    await before.until(done);
    await worker.stop();
    const old = await before.start("task", { input: { to: "ada" } });
    await client.work({
      task: async ({ job, complete }) => complete(job.input),
      waiting: async ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
    });
    const ada = { to: "ada", locale: "en" };
    const bob = { to: "bob", locale: "en" };
    expect(await client.until(waiting)).toMatchObject({ output: [bob] });
    expect(await client.until(old)).toMatchObject({ input: ada, output: ada });
    expect(await client.sequence(done)).toMatchObject({ input: bob, output: bob });
    // Its record is as it was written.
    expect((await before.sequence(done)).input).toEqual({ to: "bob" });
  });

  rule("a check finds jobs that this build cannot run", async ({ open, openSecond }) => {
    const before = await open();
    const client = await openSecond({ jobTypes: grown });
    expect(await client.queuert.check()).toEqual({ isWell: true, types: [] });
    const lost = await before.start("tesk", { schedule: { afterMs: 3_600_000 } });
    await before.start("task", { input: { to: "ada" } });
    await before.start("task", { input: { locale: "en", to: "bob" } });
    const bad = await before.start("task", { input: { cc: "eve" } });
    const task = { jobCount: 3, statuses: { blocked: 0, pending: 3, running: 0 } };
    expect(await client.queuert.check()).toMatchObject({
      isWell: false,
      types: [
        {
          typeName: "task",
          ...task,
          isUnknown: false,
          examined: 3,
          refused: 1,
          issues: ["input: not locale,to"],
          jobIds: [bad.id],
        },
        {
          typeName: "tesk",
          jobCount: 1,
          isUnknown: true,
          nearTypeNames: ["task"],
          examined: 0,
          oldestAt: lost.createdAt,
          jobIds: [lost.id],
        },
      ],
    });
    const first = await client.queuert.check({ examineMax: 2 });
    expect(first.types).toMatchObject([{ examined: 2, refused: 0 }, {}]);
    const renaming = await open({ jobTypes: withTask({ formerNames: ["tesk"] }) });
    expect(await renaming.queuert.check()).toMatchObject({
      isWell: true,
      types: [{ typeName: "task", jobCount: 4, examined: 0 }],
    });
    await expect(before.queuert.check()).rejects.toMatchObject({ code: "QUEUERT_INVALID_OPTION" });
  });

  rule("an input that no upcast accepts fails its attempt alone", async ({ open, openSecond }) => {
    const before = await open();
    const client = await openSecond({ jobTypes: grown });
    const bad = await before.start("task", { input: { cc: "eve" } });
    const good = await before.start("task", { input: { to: "ada" } });
    const retryConfig = { initialDelayMs: 60_000, maxDelayMs: 60_000 };
    const worker = await client.work({
      task: { retryConfig, process: async ({ job, complete }) => complete(job.input) },
    });
    await client.until(good);
    const failed = client.events.until("jobAttemptFailed", ({ id }) => id === bad.id);
    expect(await failed).toMatchObject({ error: { code: "QUEUERT_INVALID_PAYLOAD" } });
    await worker.stop();
    // Retried: the next deployment may know better. A query shows the stored value.
    expect(await client.job(bad)).toMatchObject({ status: "pending", input: { cc: "eve" } });
    const cc = defineUpcast({ from: fields("cc"), to: () => ({ to: "cc", locale: "en" }) });
    const next = await open({
      jobTypes: withTask({ input: fields("locale", "to"), upcast: [toLocale, cc] }),
    });
    await next.transact((tx) => next.queuert.triggerJobs({ ...tx, ids: [bad.id] }));
    await next.work({ task: async ({ job, complete }) => complete(job.input) });
    expect(await next.until(bad)).toMatchObject({ output: { to: "cc", locale: "en" } });
  });
});
