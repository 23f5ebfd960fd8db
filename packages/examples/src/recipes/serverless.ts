import type { Client } from "./client.ts";
import { mailWorker, type Send } from "./failed-jobs.ts";

/** For a scheduled function with a limit of 60 s. 0 in `nextDueInMs`: call again at once. */
export const handleRequest = (queuert: Client, send: Send) =>
  mailWorker(queuert, send).processOnce({ budgetMs: 50_000, concurrency: 20 });
