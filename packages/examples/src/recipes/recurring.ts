import type { Client } from "./client.ts";

const nightly = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };

// One row for the schedule, however many processes call this.
export const scheduleReport = (queuert: Client) =>
  queuert.upsertSchedules({
    schedules: [{ name: "nightly-report", typeName: "daily-report", input: null, ...nightly }],
  });

export const reportWorker = (queuert: Client, report: (night: Date) => Promise<void>) =>
  queuert.createWorker().implementJobType({
    typeName: "daily-report",
    process: async ({ job, complete }) => {
      // Null if the job was started by hand.
      await report(job.tick?.at ?? job.createdAt);
      return complete(null);
    },
  });

/** The operator's hand: one report now, and the nights of a week that were missed. */
export const repeatReports = async (queuert: Client, from: Date, to: Date) => {
  const name = "nightly-report";
  await queuert.triggerSchedules({ names: [name] });
  return queuert.backfillSchedule({ name, from, to });
};
