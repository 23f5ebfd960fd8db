// The same jobs as in `fill-postgres.ts`, as documents.
import type { MongoClient } from "mongodb";

const batch = 20_000;
const runningCount = 100;

interface JobDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

const idOf = (number: number): string =>
  `0199a3f0-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;

/** Fills an empty store, and returns a due job and the first failed one. */
export const fillMongodb = async (
  client: MongoClient,
  jobCount: number,
): Promise<{ readonly dueId: string; readonly failedSequenceId: string }> => {
  const jobs = client.db().collection<JobDocument>("queuert_jobs");
  const now = Date.now();
  for (let first = 1; first <= jobCount; first += batch) {
    const length = Math.min(batch, jobCount - first + 1);
    const documents = Array.from({ length }, (_, index) =>
      toDocument(first + index, jobCount, now),
    );
    await jobs.insertMany(documents, { ordered: false, writeConcern: { w: 1 } });
  }
  return { dueId: idOf(jobCount - (jobCount % 3)), failedSequenceId: idOf(200) };
};

const stateOf = (number: number, jobCount: number): string => {
  if (number > jobCount * 0.97) return "pending";
  if (number > jobCount * 0.97 - runningCount) return "running";
  if (number % 200 === 0) return "failed";
  return number % 250 === 1 ? "blocked" : "completed";
};

const toDocument = (number: number, jobCount: number, now: number): JobDocument => {
  const status = stateOf(number, jobCount);
  const at = new Date(now - (jobCount - number) * 1_000);
  const isLater = status === "pending" && number % 3 > 0;
  const isRetried = status === "pending" && number % 100 === 0;
  const isFinished = status === "failed" || status === "completed";
  const blocker = idOf(Math.max(200, Math.floor(number / 200) * 200));
  return {
    ...{ _id: idOf(number), typeName: number % 1_000 === 7 ? "rare" : `type-${number % 9}` },
    ...{ position: 0, ordinal: number, status, priority: 0, createdAt: at },
    input: `{"order":"A-${number}","to":"${"x".repeat(120)}"}`,
    scheduledAt: isLater ? new Date(at.getTime() + 30 * 86_400_000) : at,
    ...{ attempt: 0, leaseVersion: 0 },
    ...((isFinished || isRetried) && { attempt: 1, leaseVersion: 1, lastAttemptAt: at }),
    ...(isFinished && { finishedAt: at }),
    ...(status === "completed" && { output: '"done"', completedBy: "worker-1" }),
    ...(status === "failed" && {
      lastAttemptError: `Error: order ${number} was declined by bank ${number % 14}${" at line".repeat(60)}`,
      hasWaiters: true,
    }),
    ...(status === "blocked" && { blockers: [blocker], openBlockers: [blocker] }),
    ...(status === "running" && {
      ...{ leasedBy: "worker-1", leasedUntil: new Date(now + 3_600_000) },
      ...{ attempt: 1, leaseVersion: 1, lastAttemptAt: at },
    }),
  };
};
