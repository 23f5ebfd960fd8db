// A worker process. The demo starts two of them, kills one on the way, and the other takes over.
import { setTimeout as sleep } from "node:timers/promises";
import { openQueuert } from "./open-queuert.ts";

const [filename = "", workerId = ""] = process.argv.slice(2);
const say = (text: string): void => console.log(`${workerId}  ${text}`);

const { queuert, stateProvider } = await openQueuert(filename, ({ level, message }) => {
  if (level === "warn" || level === "error") say(message);
});

const worker = await queuert
  .createWorker()
  .implementJobType({
    typeName: "check-payment",
    retryConfig: { initialDelayMs: 400, maxAttempts: 5 },
    process: async ({ job, complete }) => {
      say(`asks the bank, attempt ${job.attempt}`);
      if (job.attempt < 3) throw new Error("the bank does not answer");
      const { userId } = job.input;
      // The user's row, the next job and the pages it waits for: in one transaction.
      return complete(async ({ client, continueWith }) => {
        client.prepare("UPDATE users SET paid = 1 WHERE id = ?").run(userId);
        return continueWith({
          typeName: "prepare-account",
          input: { userId },
          startBlockers: async () => {
            const pageOf = (page: string) =>
              ({ typeName: "render-page", input: { userId, page } }) as const;
            return queuert.startJobSequences({
              client,
              sequences: [pageOf("profile"), pageOf("orders"), pageOf("settings")],
            });
          },
        });
      });
    },
  })
  .implementJobType({
    typeName: "render-page",
    // A worker that vanishes is missed after a second and a half.
    leaseConfig: { leaseMs: 1_500 },
    concurrency: 1,
    process: async ({ job, complete }) => {
      say(`renders "${job.input.page}", attempt ${job.attempt}`);
      await sleep(job.input.page === "orders" ? 2_500 : 1_000);
      return complete({ path: `/${job.input.userId}/${job.input.page}.html` });
    },
  })
  .implementJobType({
    typeName: "prepare-account",
    process: async ({ job, complete }) => {
      const pages = job.blockers.map(({ output }) => output.path);
      say(`has all ${pages.length} pages`);
      return complete.continueWith({
        typeName: "approve-account",
        input: { userId: job.input.userId, pages },
      });
    },
  })
  .implementJobType({
    typeName: "send-welcome",
    process: async ({ job, complete }) =>
      complete(async ({ client }) => {
        const { userId, approvedBy } = job.input;
        client.prepare("INSERT INTO mails (user_id, text) VALUES (?, ?)").run(userId, "welcome");
        say(`sends the welcome mail (approved by ${approvedBy})`);
        return { sentTo: `user ${userId}` };
      }),
  })
  .start({ workerId, concurrency: 4, pollIntervalMs: 200 });

process.once("SIGTERM", () => {
  void worker.stop().then(async () => {
    await queuert.close();
    await stateProvider.close();
  });
});
