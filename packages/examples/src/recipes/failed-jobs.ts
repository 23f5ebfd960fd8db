import { type Page, UnrecoverableJobError } from "queuert";
import type { Client } from "./client.ts";

export type Send = (
  to: string,
  options: { idempotencyKey: string; signal: AbortSignal },
) => Promise<void>;

export const mailWorker = (queuert: Client, send: Send) =>
  queuert.createWorker().implementJobType({
    typeName: "send-mail",
    retryConfig: { maxAttempts: 3, initialDelayMs: 100 },
    timeoutMs: 30_000,
    concurrency: 2, // at a time, in this worker
    process: async ({ job, signal, complete }) => {
      // No attempt will make an address of it.
      if (!job.input.to.includes("@")) throw new UnrecoverableJobError("not an address");
      // The same key in every attempt: a service that keeps such keys sends one mail.
      await send(job.input.to, { idempotencyKey: job.id, signal });
      return complete({ sent: true });
    },
  });

export const retryAllFailedMails = async (queuert: Client) => {
  let cursor: string | null = null;
  do {
    const failed = { typeName: "send-mail", status: "failed" } as const;
    // The type is named, for TypeScript does not find it out in a loop that feeds on itself.
    const page: Page<{ id: string }> = await queuert.listJobs({ ...failed, cursor });
    await queuert.retryFailedJobs({ ids: page.items.map(({ id }) => id) });
    cursor = page.nextCursor;
  } while (cursor !== null);
};
