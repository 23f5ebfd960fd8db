// The process functions of errands: alone and in batches. Outcomes are recorded before they are given to the library.
import type { ErrandAttempt, ErrandOutcome } from "../checker/errand-history.ts";
import { type Errand, errandRowPrefix } from "./errand-types.ts";
import type { LoadSurroundings } from "./run-plan.ts";

interface ErrandJob {
  readonly id: string;
  readonly typeName: string;
  readonly attempt: number;
  readonly leaseVersion: number;
  readonly lastAttemptAt: Date | null;
  readonly scheduledAt: Date;
  readonly input: Errand;
}

type Complete = (outcome: unknown) => Promise<never>;

let calls = 0;

const attemptOf = (job: ErrandJob): ErrandAttempt => ({
  ...{ jobId: job.id, leaseVersion: job.leaseVersion },
  acquiredAt: job.lastAttemptAt?.getTime() ?? 0,
  scheduledAt: job.scheduledAt.getTime(),
});

/** Answers how to record the outcomes of this call. */
const begin = (
  { note, now, processName }: LoadSurroundings,
  jobs: readonly ErrandJob[],
): ((outcomes: readonly ErrandOutcome[]) => void) => {
  const call = `${processName}-call${calls++}`;
  const typeName = jobs[0]?.typeName ?? "";
  const attempts = jobs.map(attemptOf);
  note({ kind: "errandsBegan", at: now(), process: processName, call, typeName, attempts });
  return (outcomes) => note({ kind: "errandsEnded", at: now(), call, outcomes });
};

const writeRowOf = (
  { writeRow }: LoadSurroundings,
  context: object,
  { id: jobId, leaseVersion, input }: ErrandJob,
): Promise<void> =>
  writeRow(context, { jobId, leaseVersion, path: `${errandRowPrefix}${input.name}` });

export const runErrand = async (
  surroundings: LoadSurroundings,
  { job, complete }: { readonly job: ErrandJob; readonly complete: Complete },
): Promise<never> => {
  const { name, workMs, failTimes, writesRow } = job.input;
  const end = begin(surroundings, [job]);
  if (workMs > 0) await surroundings.sleep(workMs);
  if (job.attempt <= failTimes) {
    end(["error"]);
    throw new Error(`fails on purpose, attempt ${job.attempt}`);
  }
  end(["output"]);
  if (!writesRow) return complete({ name });
  return complete(async (context: object) => {
    await writeRowOf(surroundings, context, job);
    return { name };
  });
};

const outcomeOf = (
  { rescheduled }: LoadSurroundings,
  { attempt, input: { name, failTimes, reschedules, next } }: ErrandJob,
): ErrandOutcome => {
  const count = rescheduled.get(name) ?? 0;
  if (count < reschedules) {
    rescheduled.set(name, count + 1);
    return "later";
  }
  if (attempt <= failTimes) return "error";
  return next === null ? "output" : "continued";
};

const toGiven = ({ input }: ErrandJob, outcome: ErrandOutcome): object => {
  const { name, key, next } = input;
  if (outcome === "error") return { error: new Error("fails on purpose, in a batch") };
  if (outcome === "later") return { retryAfterMs: 50 };
  if (outcome === "output") return { output: { name } };
  const nextInput = { ...input, name: next ?? "", key, next: null, failTimes: 0, writesRow: false };
  return { continueWith: { typeName: "errand", input: nextInput } };
};

export const runBulk = async (
  surroundings: LoadSurroundings,
  { jobs, complete }: { readonly jobs: readonly ErrandJob[]; readonly complete: Complete },
): Promise<never> => {
  const end = begin(surroundings, jobs);
  await surroundings.sleep(Math.max(...jobs.map(({ input }) => input.workMs)));
  const outcomes = jobs.map((job) => outcomeOf(surroundings, job));
  const isCompleted = (_: unknown, index: number): boolean =>
    outcomes[index] === "output" || outcomes[index] === "continued";
  const writing = jobs.filter(isCompleted).filter(({ input }) => input.writesRow);
  const given = jobs.map((job, index) => toGiven(job, outcomes[index] ?? "error"));
  end(outcomes);
  if (writing.length === 0) return complete(given);
  return complete(async (context: object) => {
    for (const job of writing) await writeRowOf(surroundings, context, job);
    return given;
  });
};
