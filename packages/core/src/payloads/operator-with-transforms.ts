// The methods for operators over transformed texts: errors of attempts, and lines that attempts logged.
import { mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { OperatorStore, StoredAttempt } from "../adapters/operator-store.ts";
import type { StateJob } from "../model/state-job.ts";
import { replaceJobs } from "../versioning/replace-jobs.ts";
import { applyTransforms, type PayloadTransform, undoTransforms } from "./transform.ts";

/** An error that cannot be read stays as it is stored: the job itself may be readable. */
export const readError = (
  transforms: readonly PayloadTransform[],
  error: string,
): Promise<string> => undoTransforms(transforms, error).catch(() => error);

export const operatorWithTransforms = (
  operator: OperatorStore,
  transforms: readonly PayloadTransform[],
  read: (job: StateJob) => Promise<StateJob>,
): OperatorStore => {
  const mapped = mapMethods(
    operator,
    (method) =>
      async (...args) =>
        replaceJobs(await method(...args), read),
  );
  const { listAttempts } = mapped;
  return {
    ...mapped,
    ...(listAttempts !== undefined && {
      listAttempts: async (params) => {
        const ofJobs = await listAttempts(params);
        const readAttempt = async (attempt: StoredAttempt): Promise<StoredAttempt> => ({
          ...attempt,
          error: await readError(transforms, attempt.error),
        });
        return Promise.all(ofJobs.map((attempts) => Promise.all(attempts.map(readAttempt))));
      },
    }),
    ...logMethods(mapped, transforms),
  };
};

const logMethods = (
  { appendLogs, listLogs, listProgress }: OperatorStore,
  transforms: readonly PayloadTransform[],
): OperatorStore => {
  const write = (text: string): Promise<string> =>
    applyTransforms(transforms, text, { typeName: null, part: "log" });
  return {
    ...(appendLogs !== undefined && {
      appendLogs: async (params) =>
        appendLogs({
          ...params,
          chunks: await Promise.all(
            params.chunks.map(async (chunk) => ({ ...chunk, lines: await write(chunk.lines) })),
          ),
          progress: await Promise.all(
            params.progress.map(async (entry) => ({
              ...entry,
              note: entry.note === null ? null : await write(entry.note),
            })),
          ),
        }),
    }),
    // Lines that cannot be read stay as they are stored, and the view says so.
    ...(listLogs !== undefined && {
      listLogs: async (params) =>
        Promise.all(
          (await listLogs(params)).map(async (chunk) => ({
            ...chunk,
            lines: await readError(transforms, chunk.lines),
          })),
        ),
    }),
    ...(listProgress !== undefined && {
      listProgress: async (params) =>
        Promise.all(
          (await listProgress(params)).map(
            async (progress) =>
              progress && {
                ...progress,
                note: progress.note && (await readError(transforms, progress.note)),
              },
          ),
        ),
    }),
  };
};
