import { expect } from "vitest";
import { compress } from "../../payloads/compress.ts";
import { encrypt } from "../../payloads/encrypt.ts";
import { offload } from "../../payloads/offload.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";

const [keyA, keyB] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const encryptedA = encrypt({ keys: { current: "a", byId: { a: keyA } } });
const payloads = { transforms: [compress({ aboveBytes: 64 }), encryptedA] };
const secret = "attack at dawn ".repeat(20);

const createBlobs = () => {
  const blobs = new Map<string, Uint8Array>();
  const store = {
    write: async (key: string, bytes: Uint8Array) => void blobs.set(key, bytes),
    read: async (key: string) => blobs.get(key),
  };
  return { blobs, transforms: [offload({ store, aboveBytes: 100 })] };
};

export const transformingSuite: BehaviourSuite = defineBehaviourSuite("transforming", (rule) => {
  rule(
    "texts reach the store encrypted, and every reader of the client as they were",
    async (c) => {
      const client = await c.open({ payloads });
      const retryConfig = { initialDelayMs: 1, maxAttempts: 2 };
      const waiting = await client.transact((tx) =>
        client.startIn(tx, "waiting", {
          input: { secret },
          startBlockers: async ({ job }) => {
            expect(job.input).toEqual({ secret });
            return [await client.startIn(tx, "first", { input: secret })];
          },
        }),
      );
      expect(waiting.input).toEqual({ secret });
      await client.work({
        first: {
          retryConfig,
          process: async ({ job, complete }) => {
            if (job.attempt === 1) throw new Error(secret);
            expect(job.lastAttemptError).toContain(secret);
            return complete.continueWith({ typeName: "next", input: job.input });
          },
        },
        next: async ({ job, complete }) => complete(async () => [job.input, "done"]),
        waiting: async ({ job, complete }) => complete(job.blockers.map(({ output }) => output)),
      });
      const done = await client.until(waiting);
      expect(done).toMatchObject({ input: { secret }, output: [[secret, "done"]] });
      const { items } = await client.queuert.listJobs({ order: "asc" });
      expect(items).toHaveLength(3);
      // As the store has it, and as a client without the keys reads it.
      const stored = await c.stateAdapter.getJobs({ ids: items.map(({ id }) => id) });
      for (const job of stored) {
        expect(JSON.stringify(job)).not.toContain("dawn");
        expect(job?.input).toMatch(/^q1:gz\+enc\.a:/);
      }
      expect(stored.some((job) => job?.lastAttemptError?.startsWith("q1:"))).toBe(true);
      const without = await c.open();
      await expect(without.queuert.getJob({ id: waiting.id })).rejects.toMatchObject({
        code: "QUEUERT_UNREADABLE_PAYLOAD",
        transforms: "gz+enc.a",
      });
    },
  );

  rule("the reason of a cancellation is encrypted, too", async ({ open, stateAdapter }) => {
    const client = await open({ payloads });
    const { id } = await client.start("task", { input: secret });
    await client.transact((tx) =>
      client.queuert.cancelJobSequences({ ...tx, ids: [id], reason: "no longer at dawn" }),
    );
    expect(await client.sequence({ id })).toMatchObject({ cancelReason: "no longer at dawn" });
    const [stored] = await stateAdapter.getJobs({ ids: [id] });
    expect(stored?.output).toMatch(/^q1:enc\.a:/);
  });

  rule("the new input of an updated job is encrypted, too", async ({ open, stateAdapter }) => {
    const client = await open({ payloads });
    const { id } = await client.start("task", { input: secret, schedule: { afterMs: 60_000 } });
    const jobs = [{ id, typeName: "task", input: "at dusk" }] as const;
    await client.transact((tx) => client.queuert.updateJobs({ ...tx, jobs }));
    expect(await client.job({ id })).toMatchObject({ input: "at dusk" });
    const [stored] = await stateAdapter.getJobs({ ids: [id] });
    expect(stored?.input).toMatch(/^q1:enc\.a:/);
  });

  rule("plain texts of before are read, and keys rotate without a migration", async ({ open }) => {
    const plain = await open();
    const old = await plain.start("task", { input: "plain" });
    const one = await open({ payloads });
    const withA = await one.start("task", { input: "with a" });
    const keys = { current: "b", byId: { a: keyA, b: keyB } };
    const both = await open({ payloads: { transforms: [encrypt({ keys, only: ["task"] })] } });
    const withB = await both.start("task", { input: "with b" });
    const other = await both.start("other", { input: "not encrypted" });
    expect((await plain.job(other)).input).toBe("not encrypted");
    await both.work({
      task: async ({ job, complete }) => complete([job.input]),
    });
    for (const [job, input] of [
      [old, "plain"],
      [withA, "with a"],
      [withB, "with b"],
    ] as const) {
      expect(await both.until(job)).toMatchObject({ input, output: [input] });
    }
  });

  rule("a job whose key is unknown fails its attempt alone, and is retried", async ({ open }) => {
    const keys = { current: "b", byId: { b: keyB } };
    const ahead = await open({ payloads: { transforms: [encrypt({ keys })] } });
    const unknown = await ahead.start("task", { input: 1 });
    const client = await open({ payloads });
    const known = await client.start("task", { input: 2 });
    const retryConfig = { initialDelayMs: 60_000, maxDelayMs: 60_000 };
    const worker = await client.work({
      task: { retryConfig, process: async ({ job, complete }) => complete(job.input) },
    });
    expect(await client.until(known)).toMatchObject({ output: 2 });
    const failed = await client.events.until("jobAttemptFailed", ({ id }) => id === unknown.id);
    expect(failed).toMatchObject({ error: { code: "QUEUERT_UNKNOWN_PAYLOAD_KEY", keyId: "b" } });
    await worker.stop();
    const all = { current: "a", byId: { a: keyA, b: keyB } };
    const next = await open({ payloads: { transforms: [encrypt({ keys: all })] } });
    expect(await next.job(unknown)).toMatchObject({ status: "pending", input: 1 });
    await next.transact((tx) => next.queuert.triggerJobs({ ...tx, ids: [unknown.id] }));
    await next.work({ task: async ({ job, complete }) => complete(job.input) });
    expect(await next.until(unknown)).toMatchObject({ output: 1 });
  });

  rule("a large payload is kept elsewhere, and a lost blob is named", async ({ open }) => {
    const { blobs, transforms } = createBlobs();
    const client = await open({ payloads: { transforms } });
    const large = await client.start("task", { input: secret });
    const small = await client.start("task", { input: "small" });
    expect(blobs.size).toBe(1);
    await client.work({ task: async ({ job, complete }) => complete(job.input) });
    expect(await client.until(large)).toMatchObject({ input: secret, output: secret });
    expect(await client.until(small)).toMatchObject({ output: "small" });
    expect(blobs.size).toBe(2);
    blobs.clear();
    await expect(client.queuert.getJob({ id: large.id })).rejects.toMatchObject({
      code: "QUEUERT_UNREADABLE_PAYLOAD",
    });
    // The others are read all the same.
    expect(await client.job(small)).toMatchObject({ input: "small" });
  });

  rule("an error is cut to a length that the store keeps whole", async ({ open }) => {
    const client = await open({ payloads });
    const { id } = await client.start("task", { input: null });
    // Texts that compression cannot shorten.
    const noise = Array.from({ length: 9_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * index * 7_919) % 20_000)),
    ).join("");
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async () => {
          throw new Error(noise);
        },
      },
    });
    const failed = await client.untilJob({ id }, "failed");
    expect(failed.lastAttemptError).toContain(noise.slice(0, 500));
  });
});
