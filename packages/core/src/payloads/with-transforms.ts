// A state adapter whose texts are transformed on their way to the store, and turned back on their way out. An acquired job that
// cannot be read is marked, and its attempt fails. In every other result its text stays, and reading the payload throws.
import { mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { AcquiredJob, CompletionOutcome } from "../adapters/state-adapter-params.ts";
import type { StateJob } from "../model/state-job.ts";
import { replaceJobs } from "../versioning/replace-jobs.ts";
import { applyTransforms, type PayloadTransform, undoTransforms } from "./transform.ts";
import { operatorWithTransforms, readError } from "./operator-with-transforms.ts";

/** Their results are the caller's own. */
const callbacks: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

/** Stores cut the errors of attempts to so many characters. A transformed text must be complete. */
const errorLengthMax = 4_000;
/** In the worst case, three bytes become four characters, and the tags need room. */
const errorBytesMax = 2_700;

export const withTransforms = (
  adapter: AnyStateAdapter,
  transforms: readonly PayloadTransform[],
): AnyStateAdapter => {
  const readAs = (job: StateJob): Promise<StateJob> => readJob(transforms, job);
  const lenient = (job: StateJob): Promise<StateJob> => readAs(job).catch(() => job);
  const read = mapMethods(adapter, (method, name) =>
    callbacks.has(name) ? method : async (...args) => replaceJobs(await method(...args), lenient),
  );
  const write = writer(transforms);
  return {
    ...read,
    createJobs: async (params) =>
      read.createJobs({ ...params, jobs: await Promise.all(params.jobs.map(write.job)) }),
    acquireJobs: async (params) => {
      const result = await adapter.acquireJobs(params);
      return {
        ...result,
        jobs: await Promise.all(result.jobs.map((one) => readAcquired(readAs, one))),
      };
    },
    completeJobs: async (params) =>
      read.completeJobs({
        ...params,
        completions: await Promise.all(
          params.completions.map(async (one) => ({
            ...one,
            outcome: await write.outcome(one.outcome, one.typeName ?? null),
          })),
        ),
      }),
    rescheduleJobs: async (params) =>
      read.rescheduleJobs({ ...params, jobs: await Promise.all(params.jobs.map(write.error)) }),
    failJobs: async (params) =>
      read.failJobs({ ...params, jobs: await Promise.all(params.jobs.map(write.error)) }),
    updateJobs: async (params) =>
      read.updateJobs({ ...params, jobs: await Promise.all(params.jobs.map(write.update)) }),
    cancelSequences: async (params) =>
      read.cancelSequences({ ...params, reason: await write.reason(params.reason) }),
    operator: adapter.operator && operatorWithTransforms(adapter.operator, transforms, lenient),
  };
};

const writer = (transforms: readonly PayloadTransform[]) => {
  const job = async <TJob extends { readonly typeName: string; readonly input: string }>(
    given: TJob,
  ): Promise<TJob> => {
    const about = { typeName: given.typeName, part: "input" } as const;
    return { ...given, input: await applyTransforms(transforms, given.input, about) };
  };
  return {
    job,
    outcome: async (
      outcome: CompletionOutcome,
      typeName: string | null,
    ): Promise<CompletionOutcome> => {
      if (outcome.kind === "continuation") return { ...outcome, job: await job(outcome.job) };
      if (outcome.kind !== "output") return outcome;
      const about = { typeName, part: "output" } as const;
      return { ...outcome, output: await applyTransforms(transforms, outcome.output, about) };
    },
    error: async <TFailure extends { readonly error: string | null }>(
      failure: TFailure,
    ): Promise<TFailure> => {
      if (failure.error === null) return failure;
      const about = { typeName: null, part: "error" } as const;
      const whole = await applyTransforms(transforms, failure.error, about);
      if (whole === failure.error || whole.length <= errorLengthMax) {
        return { ...failure, error: whole };
      }
      const short = cutToBytes(failure.error, errorBytesMax);
      return { ...failure, error: await applyTransforms(transforms, short, about) };
    },
    update: async <TUpdate extends { readonly input: string | null }>(
      update: TUpdate,
    ): Promise<TUpdate> => {
      if (update.input === null) return update;
      // Its type is not known here, so `only` does not leave it out.
      const about = { typeName: null, part: "input" } as const;
      return { ...update, input: await applyTransforms(transforms, update.input, about) };
    },
    reason: async (reason: string | null): Promise<string | null> => {
      const about = { typeName: null, part: "reason" } as const;
      return reason === null ? null : applyTransforms(transforms, reason, about);
    },
  };
};

/** At a boundary of characters. */
const cutToBytes = (text: string, bytesMax: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= bytesMax) return text;
  return bytes
    .subarray(0, bytesMax)
    .toString()
    .replace(/\uFFFD$/, "");
};

const readJob = async (
  transforms: readonly PayloadTransform[],
  job: StateJob,
): Promise<StateJob> => {
  const { input, output, lastAttemptError } = job;
  const read = {
    input: await undoTransforms(transforms, input),
    output: output === null ? null : await undoTransforms(transforms, output),
    lastAttemptError: lastAttemptError && (await readError(transforms, lastAttemptError)),
  };
  const isSame =
    read.input === input && read.output === output && read.lastAttemptError === lastAttemptError;
  return isSame ? job : { ...job, ...read };
};

/** One job that cannot be read must not cost the others their acquisition: its error travels with it. */
const readAcquired = async (
  read: (job: StateJob) => Promise<StateJob>,
  acquired: AcquiredJob,
): Promise<AcquiredJob> => {
  try {
    return await replaceJobs(acquired, read);
  } catch (error) {
    return { ...acquired, unreadable: error as Error };
  }
};
