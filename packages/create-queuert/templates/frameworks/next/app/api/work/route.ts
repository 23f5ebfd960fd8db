// Where no process stays up, a timer of the platform calls this URL.
import { bearer, createWorkHandler } from "queuert/web";
import { createWorker } from "../../../jobs/welcome";
import { getQueuert } from "../../../lib/queuert";

export const GET = createWorkHandler({
  worker: async () => createWorker((await getQueuert()).queuert),
  authorize: bearer(() => process.env["CRON_SECRET"]),
  budgetMs: 25_000,
});
