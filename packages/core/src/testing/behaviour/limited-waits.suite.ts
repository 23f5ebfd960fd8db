import { expect } from "vitest";
import { eventually } from "../waiting.ts";
import type { BehaviourClient, StartedSequence } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { rejection } from "./rejection.ts";
import { key, send } from "./signal-steps.ts";

const hourMs = 3_600_000;

/** Starts a job that waits for the signal, for this time at most. */
const expectFor = (client: BehaviourClient, waitAtMostMs: number): Promise<StartedSequence> =>
  client.transact((tx) =>
    client.startIn(tx, "patient", {
      waitAtMostMs,
      startBlockers: async () => [
        await client.queuert.expectSignal({ ...tx, typeName: "approval", key }),
      ],
    }),
  );

/** Ends the job with the payload, or with "nothing". An idle worker does not poll during a case. */
const workOn = (client: BehaviourClient): Promise<unknown> =>
  client.work(
    {
      patient: async ({ job, complete }) => complete(job.blockers[0]?.output ?? "nothing"),
      next: async ({ complete }) => complete("next"),
    },
    { pollIntervalMs: 60_000 },
  );

export const limitedWaitsSuite: BehaviourSuite = defineBehaviourSuite("limited waits", (rule) => {
  rule("a job whose wait ends first runs with null, without a poll", async ({ open }) => {
    const client = await open();
    await workOn(client);
    const waiting = await expectFor(client, 50);
    expect(waiting.status).toBe("blocked");
    expect(await client.until(waiting)).toMatchObject({ output: "nothing" });
  });

  rule("a worker that starts later finds the end of the wait", async ({ open }) => {
    const client = await open();
    const waiting = await expectFor(client, 300);
    expect(await client.job(waiting)).toMatchObject({
      status: "blocked",
      blockedUntil: new Date(waiting.createdAt.getTime() + 300),
    });
    await workOn(client);
    expect(await client.until(waiting)).toMatchObject({ output: "nothing" });
  });

  rule("a signal before the end of the wait releases the job", async ({ open }) => {
    const client = await open();
    const waiting = await expectFor(client, hourMs);
    await workOn(client);
    await client.transact((tx) => send(client, tx, "came"));
    expect(await client.until(waiting)).toMatchObject({ output: "came" });
  });

  rule("a signal between the end of the wait and the acquisition is found", async ({ open }) => {
    const client = await open();
    const waiting = await expectFor(client, 0);
    await client.transact((tx) => send(client, tx, "late"));
    await workOn(client);
    expect(await client.until(waiting)).toMatchObject({ output: "late" });
  });

  rule("a signal after the end of the wait is stored for others", async ({ open }) => {
    const client = await open();
    const waiting = await expectFor(client, 0);
    await workOn(client);
    await client.until(waiting);
    expect(await client.transact((tx) => send(client, tx, "later"))).toMatchObject([
      { sent: true },
    ]);
    const next = await expectFor(client, hourMs);
    expect(await client.until(next)).toMatchObject({ output: "later" });
  });

  rule(
    "a signal that was never sent is cancelled, and retention deletes its tree",
    async (test) => {
      const client = await test.open();
      const waiting = await expectFor(client, 0);
      await client.work({
        patient: async ({ complete }) =>
          complete(async (tx) => {
            const signal = await client.queuert.expectSignal({ ...tx, typeName: "approval", key });
            const { queuert } = client;
            expect(await queuert.cancelJobSequences({ ...tx, ids: [signal.id] })).toMatchObject({
              cancelled: 1,
            });
            return "nothing";
          }),
      });
      await client.until(waiting);
      const deleteAll = (): Promise<{ readonly jobCount: number }> =>
        client.queuert.deleteFinishedJobSequences({ completedForMs: 0, cancelledForMs: 0 });
      const deleted = await eventually(async () => {
        const { jobCount } = await deleteAll();
        return jobCount > 0 ? jobCount : undefined;
      }, "the tree to be deleted");
      expect(deleted).toBe(2);
      expect((await client.queuert.listJobs()).items).toEqual([]);
    },
  );

  rule("explain says until when a job waits", async ({ open }) => {
    const client = await open();
    const waiting = await expectFor(client, hourMs);
    const until = new Date(waiting.createdAt.getTime() + hourMs);
    const { reasons } = await client.queuert.explain({ id: waiting.id });
    expect(reasons).toMatchObject([{ kind: "blocked_by", until }]);
    expect(reasons[0]?.text).toContain(`at most until ${until.toISOString()}`);
  });

  rule("an end of the wait needs blockers, and a finite time", async ({ open }) => {
    const client = await open();
    const wrong = { code: "QUEUERT_INVALID_OPTION", option: "waitAtMostMs" };
    expect(await rejection(client.start("task", { waitAtMostMs: 5 }))).toMatchObject(wrong);
    for (const waitAtMostMs of [-1, Infinity, Number.NaN]) {
      expect(await rejection(expectFor(client, waitAtMostMs))).toMatchObject(wrong);
    }
    expect((await client.queuert.listJobs()).items).toEqual([]);
  });
});
