import type { Client } from "./client.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** The next midnight, UTC. For a cron expression or a time zone, use a parser of them. */
export const nextMidnight = (after: Date): Date =>
  new Date((Math.floor(+after / dayMs) + 1) * dayMs);

type Context = Parameters<Parameters<Client["transaction"]>[0]>[0];

// One sequence for each occurrence, for any number of callers: its instant is the key.
export const scheduleReport = (queuert: Client, context: Context, at: Date) =>
  queuert.startJobSequence({
    ...context,
    typeName: "daily-report",
    input: { at: at.toISOString() },
    schedule: { at },
    deduplication: { key: at.toISOString(), strategy: "all" },
  });

export const reportWorker = (
  queuert: Client,
  nextRun: (after: Date) => Date,
  report: (at: Date) => Promise<void>,
) =>
  queuert.createWorker().implementJobType({
    typeName: "daily-report",
    process: async ({ job, prepare, complete }) => {
      const at = new Date(job.input.at);
      // First, so that a report that fails does not end the series.
      await prepare({ mode: "staged" }, (context) => scheduleReport(queuert, context, nextRun(at)));
      await report(at);
      return complete(null);
    },
  });
