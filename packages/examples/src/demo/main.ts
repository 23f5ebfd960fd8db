// Queuert in a dozen seconds, on a SQLite file. Run it with `pnpm demo`.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openQueuert } from "./open-queuert.ts";
import { showDashboard } from "./dashboard.ts";
import { drawTree } from "./picture.ts";
import {
  bold,
  green,
  red,
  say,
  startWorkerProcess,
  stopWorkerProcess,
  yellow,
} from "./progress.ts";

const filename = join(mkdtempSync(join(tmpdir(), "queuert-demo-")), "shop.db");
const { queuert, stateProvider } = await openQueuert(filename, () => undefined);
await stateProvider.runInTransaction(async ({ client }) => {
  client.exec(`
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, paid INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE mails (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, text TEXT NOT NULL);
  `);
});

// `pnpm demo --dashboard`: the page beside it shows each step.
const dashboard = process.argv.includes("--dashboard") ? await showDashboard(queuert) : undefined;

say("A user signs up: the row and the work for it are one transaction", bold);
const signUp = await queuert.transaction(async ({ client }) => {
  const { lastInsertRowid } = client.prepare("INSERT INTO users (name) VALUES (?)").run("Ada");
  const userId = Number(lastInsertRowid);
  return queuert.startJobSequence({ client, typeName: "check-payment", input: { userId } });
});

say("Another sign-up is rolled back: neither its row nor its work exists", bold);
await queuert
  .transaction(async ({ client }) => {
    client.prepare("INSERT INTO users (name) VALUES (?)").run("Bob");
    await queuert.startJobSequence({ client, typeName: "check-payment", input: { userId: 2 } });
    throw new Error("changed their mind");
  })
  .catch((error: Error) => say(`rolled back: ${error.message}`));

say("Two worker processes start", bold);
const workers = new Map(
  ["worker-1", "worker-2"].map((id) => [id, startWorkerProcess(filename, id)]),
);

/** The job of this type once it is in this status. */
const waitForJob = async (
  typeName: "render-page" | "approve-account",
  status: "running" | "pending",
) => {
  for (;;) {
    const { items } = await queuert.listJobs({ typeName, status });
    const job = items.find(({ input }) => !("page" in input) || input.page === "orders");
    if (job !== undefined) return job;
    await sleep(20);
  }
};

const rendering = await waitForJob("render-page", "running");
const victim = rendering.status === "running" ? rendering.leasedBy : "";
await sleep(300);
say(
  `${victim} is killed while it renders "orders"; the other takes over when its lease is over`,
  red,
);
workers.get(victim)?.kill("SIGKILL");

const approval = await waitForJob("approve-account", "pending");
say(`The sequence waits for a person; no worker implements "${approval.typeName}"`, yellow);
await sleep(2_000);
await queuert.transaction((context) =>
  queuert.completeJobSequence({
    ...context,
    typeName: "check-payment",
    id: signUp.id,
    complete: async ({ job, complete }) => {
      if (job.typeName !== "approve-account")
        throw new Error(`not up for approval: ${job.typeName}`);
      return complete(job, async ({ continueWith }) =>
        continueWith({
          typeName: "send-welcome",
          input: { userId: job.input.userId, approvedBy: "Grace" },
          schedule: { afterMs: 2_000 },
        }),
      );
    },
  }),
);
say("Approved, without a worker; the mail is due in 2 seconds", yellow);

const { output } = await queuert.waitForJobSequenceCompletion({
  typeName: "check-payment",
  id: signUp.id,
  timeoutMs: 20_000,
});
say(`Done: welcome mail sent to ${output.sentTo}`, green);

await Promise.all([...workers.values()].map(stopWorkerProcess));
const { items: jobs } = await queuert.listJobs({ rootSequenceId: signUp.rootSequenceId });
const count = (table: string): Promise<unknown> =>
  stateProvider.runInTransaction(async ({ client }) =>
    client.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
console.log(`
All jobs, as a tree:

${drawTree(jobs, signUp.id)}

${await count("users")} user, ${await count("mails")} mail, ${jobs.length} jobs, 1 worker killed, nothing lost, nothing doubled.

Look at the data:
  sqlite3 ${filename} "SELECT type_name, status, attempt, completed_by FROM queuert_job"
`);
await dashboard?.untilStopped();
await queuert.close();
await stateProvider.close();
