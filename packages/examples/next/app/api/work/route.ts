import { bearer, createWorkHandler } from "queuert/web";
import { createMailWorker } from "../../../lib/worker";

export const GET = createWorkHandler({
  worker: createMailWorker,
  authorize: bearer(() => process.env.CRON_SECRET),
  budgetMs: 25_000,
});
