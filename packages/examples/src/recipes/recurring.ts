import type { Client } from "./client.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** The next midnight, UTC. For a cron expression, ask a parser of them. */
export const nextRun = (after: Date): Date => new Date((Math.floor(+after / dayMs) + 1) * dayMs);

type Context = Parameters<Parameters<Client["transaction"]>[0]>[0];

// One sequence for each occurrence, however many processes ask for it, and however often.
export const scheduleReport = (queuert: Client, context: Context, at: Date) => {
  const day = at.toISOString().slice(0, 10);
  return queuert.startJobSequence({
    ...context,
    typeName: "daily-report",
    input: { day },
    schedule: { at },
    deduplication: { key: day, strategy: "all" },
  });
};

export const reportWorker = (queuert: Client, report: (day: string) => Promise<void>) =>
  queuert.createWorker().implementJobType({
    typeName: "daily-report",
    process: async ({ job, prepare, complete }) => {
      // First of all, so that a report that fails does not end the series.
      await prepare({ mode: "staged" }, (context) =>
        scheduleReport(queuert, context, nextRun(new Date(job.input.day))),
      );
      await report(job.input.day);
      return complete(null);
    },
  });
