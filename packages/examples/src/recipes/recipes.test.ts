import { readdirSync, readFileSync } from "node:fs";
import { createTestQueuert } from "queuert/test";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { remind } from "./at-most-once-a-minute.ts";
import { resizeWorker } from "./batches.ts";
import { cancelMail, forgetMail, restartReport } from "./cancelling.ts";
import { type Client, jobTypes, openClient } from "./client.ts";
import { reindex } from "./debouncing.ts";
import { mailWorker, retryAllFailedMails } from "./failed-jobs.ts";
import { makeAlbum } from "./fan-out.ts";
import { limitMails, onePerCustomer } from "./limits.ts";
import { sendMailsAgain, stopMails } from "./pausing.ts";
import { repeatReports, reportWorker, scheduleReport } from "./recurring.ts";
import { handleRequest } from "./serverless.ts";
import { takeOver } from "./taking-over.ts";
import { awaitPayment, paymentWorker, receivePayment } from "./webhook.ts";

let queuert: Client;
beforeEach(async () => {
  queuert = await openClient();
});
afterEach(() => queuert.close());

describe.each([
  { name: "RECIPES.md", blocksMin: 6 },
  { name: "MIGRATING.md", blocksMin: 1 },
])("$name", ({ name, blocksMin }) => {
  const page = readFileSync(new URL(`../../../core/${name}`, import.meta.url), "utf8");
  const sources = readdirSync(new URL(".", import.meta.url)).map((source) =>
    readFileSync(new URL(source, import.meta.url), "utf8"),
  );
  // Indented as far as it is in its source, or less.
  const squeezed = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""]) => block);

  it("has only code that is compiled and run here", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(blocksMin);
    const missing = blocks.filter(
      (block) => !sources.some((source) => squeezed(source).includes(squeezed(block))),
    );
    expect(missing).toEqual([]);
  });
});

it("a nightly report is stored once, runs when it is triggered, and is backfilled once", async () => {
  await scheduleReport(queuert);
  const [schedule] = await scheduleReport(queuert);
  expect((await queuert.listSchedules()).items).toEqual([schedule]);
  const reports: Date[] = [];
  const worker = await reportWorker(queuert, async (night) => void reports.push(night)).start();
  const [from, to] = [new Date("2026-03-28T00:00:00Z"), new Date("2026-03-31T00:00:00Z")];
  expect(await repeatReports(queuert, from, to)).toEqual({ startedCount: 3 });
  expect(await repeatReports(queuert, from, to)).toEqual({ startedCount: 0 });
  // Europe has set its clocks on the 29th: half past two was three o'clock.
  const nights = ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"];
  const ran = () => reports.map((night) => night.toISOString().slice(0, 16));
  await expect.poll(ran).toEqual(expect.arrayContaining(nights));
  // Two manual ticks, and the three nights.
  expect((await queuert.listScheduleTicks({ name: "nightly-report" })).items).toHaveLength(5);
  await worker.stop();
});

it("mails stay within their limit", async () => {
  await limitMails(queuert);
  expect(await queuert.getLimits()).toMatchObject([
    { name: "send-mail", concurrency: 2, rate: { count: 5, perMs: 1_000, burst: 1 } },
  ]);
});

it("images are resized together, each with its own outcome", async () => {
  const start = (url: string) =>
    queuert.startJobSequence({ autocommit: true, typeName: "resize-image", input: { url } });
  const good = await start("/a.png");
  const bad = await start("/b.png");
  const calls: number[] = [];
  const builder = resizeWorker(queuert, async (urls) => {
    calls.push(urls.length);
    return urls.map((url) => (url === "/a.png" ? "/small/a.png" : null));
  });
  await builder.drain();
  expect(calls).toEqual([2]);
  expect(await queuert.getJobSequence({ id: good.id })).toMatchObject({
    output: { path: "/small/a.png" },
  });
  expect(await queuert.getJob({ id: bad.id })).toMatchObject({ status: "pending", attempt: 1 });
});

it("one import of a customer runs at a time", async () => {
  const limited = await openClient(onePerCustomer);
  let running = 0;
  let most = 0;
  let done = 0;
  const worker = await limited
    .createWorker()
    .implementJobType({
      typeName: "import-orders",
      process: async ({ complete }) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        done++;
        return complete(null);
      },
    })
    .start();
  await limited.transaction((context) =>
    limited.startJobSequences({
      ...context,
      sequences: [1, 2, 3].map(() => ({
        typeName: "import-orders" as const,
        input: { customer: "acme" },
      })),
    }),
  );
  await expect.poll(() => done).toBe(3);
  expect(most).toBe(1);
  await worker.stop();
  await limited.close();
});

it("a document is indexed once, with its last version", async () => {
  const first = await reindex(queuert, "readme", 1);
  const second = await reindex(queuert, "readme", 2);
  expect(second).toMatchObject({ id: first.id, deduplicated: true });
  await queuert.triggerJobs({ ids: [first.id] });
  const versions: number[] = [];
  const worker = queuert.createWorker().implementJobType({
    typeName: "reindex",
    process: async ({ job, complete }) => {
      versions.push(job.input.version);
      return complete(null);
    },
  });
  await worker.drain();
  expect(versions).toEqual([2]);
});

it("a reminder is sent once a minute, finished or not", async () => {
  const first = await remind(queuert, "ada@example.com");
  const { id, typeName } = first;
  const worker = await mailWorker(queuert, async () => undefined).start();
  await queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 5_000 });
  await worker.stop();
  expect(await remind(queuert, "ada@example.com")).toMatchObject({ id, deduplicated: true });
});

it("an album waits for all of its images", async () => {
  const { id, typeName } = await makeAlbum(queuert, ["a", "b", "c"]);
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "resize-image",
      process: async ({ job, complete }) => complete({ path: `/${job.input.url}` }),
    })
    .implementJobType({
      typeName: "make-album",
      process: async ({ job, complete }) =>
        complete({ paths: job.blockers.map(({ output }) => output.path) }),
    })
    .start();
  const album = await queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 5_000 });
  await worker.stop();
  expect(album.output).toEqual({ paths: ["/a", "/b", "/c"] });
});

it("a mail is cancelled, or forgotten", async () => {
  const kept = await remind(queuert, "ada@example.com");
  expect(await cancelMail(queuert, kept.id)).toMatchObject({ cancelled: 1, running: 0 });
  expect(await queuert.getJobSequence({ id: kept.id })).toMatchObject({
    status: "cancelled",
    cancelReason: "the customer has left",
  });
  const gone = await remind(queuert, "bob@example.com");
  await forgetMail(queuert, gone.id);
  expect(await queuert.getJobSequence({ id: gone.id })).toBeUndefined();
});

it("a report gives way to the next one", async () => {
  const first = await restartReport(queuert);
  const second = await restartReport(queuert);
  expect((await queuert.getJobSequence({ id: first.id }))?.status).toBe("cancelled");
  expect((await queuert.getJobSequence({ id: second.id }))?.status).toBe("pending");
});

it("mails wait while they are paused, and a function sends the due ones", async () => {
  const sent: string[] = [];
  const send = async (to: string) => void sent.push(to);
  await remind(queuert, "ada@example.com");
  await stopMails(queuert);
  expect(await handleRequest(queuert, send)).toMatchObject({ completed: 0 });
  expect(await queuert.getPauses()).toMatchObject([{ jobType: "send-mail", state: "paused" }]);
  await sendMailsAgain(queuert);
  expect(await handleRequest(queuert, send)).toMatchObject({ completed: 1, nextDueInMs: null });
  expect(sent).toEqual(["ada@example.com"]);
});

it("failed mails are retried, all of them", async () => {
  let isRepaired = false;
  const keys: string[] = [];
  const worker = await mailWorker(queuert, async (_to, { idempotencyKey }) => {
    keys.push(idempotencyKey);
    if (!isRepaired) throw new Error("refused");
  }).start();
  const { id, typeName } = await remind(queuert, "ada@example.com");
  const waiting = queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 5_000 });
  await expect(waiting).rejects.toMatchObject({ code: "QUEUERT_JOB_SEQUENCE_FAILED" });
  isRepaired = true;
  await retryAllFailedMails(queuert);
  await queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 5_000 });
  await worker.stop();
  expect(keys).toEqual([id, id, id, id]);
});

// ── a test of your own ──
it("sends the mail", async () => {
  const sent: string[] = [];
  const test = await createTestQueuert({
    jobTypeDefinitions: jobTypes, // without a state adapter: in-process, with real transactions
    workers: [(queuert) => mailWorker(queuert, async (to) => void sent.push(to))],
  });
  await test.queuert.transaction((context) =>
    test.queuert.startJobSequence({
      ...context,
      typeName: "send-mail",
      input: { to: "ada@example.com" },
      schedule: { afterMs: 3_600_000 },
    }),
  );
  await test.drain({ skipTime: { hours: 1 } }); // the test does not wait for an hour
  expect(sent).toEqual(["ada@example.com"]);
  await test.close();
});

it("a payment is awaited for 30 minutes, and a webhook may come twice", async () => {
  const released: number[] = [];
  const test = await createTestQueuert({
    jobTypeDefinitions: jobTypes,
    workers: [(client) => paymentWorker(client, async (order) => void released.push(order))],
  });
  for (const order of [1, 2]) await awaitPayment(test.queuert, order);
  expect(await receivePayment(test.queuert, 1, 995)).toMatchObject([{ sent: true }]);
  expect(await receivePayment(test.queuert, 1, 995)).toMatchObject([{ reason: "already_sent" }]);
  await test.drain({ skipTime: { minutes: 29 } });
  expect(released).toEqual([]);
  await test.drain({ skipTime: { minutes: 31 } });
  expect(released).toEqual([2]);
  await test.close();
});

it("jobs of another queue are taken over once, with their due times", async () => {
  const dueAt = new Date(Date.now() + 3_600_000);
  const oldJobs = ["a", "b"].map((id) => ({ id, data: { to: `${id}@example.com` }, dueAt }));
  const first = await takeOver(queuert, oldJobs);
  const again = await takeOver(queuert, oldJobs);
  expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  const { items } = await queuert.listJobs({ typeName: "send-mail" });
  expect(items.map(({ scheduledAt }) => scheduledAt)).toEqual([dueAt, dueAt]);
});
