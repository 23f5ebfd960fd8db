import type { LimitsOptions } from "queuert";
import type { Client, JobTypes } from "./client.ts";

/** Five mails a second over all workers, and at most two at once. */
export const limitMails = (queuert: Client) =>
  queuert.setLimits({
    limits: [{ name: "send-mail", concurrency: 2, rate: { count: 5, perMs: 1_000 } }],
  });

/** One import of a customer at a time, however many workers there are. */
export const onePerCustomer: LimitsOptions<JobTypes> = {
  declared: { "import-orders": { perKey: { concurrency: 1 } } },
  jobTypes: { "import-orders": { key: ({ input }) => input.customer } },
};
