// The attempts that a store keeps of each job: bounded, however often the job is tried.
import { lastAttemptsKept, type StoredAttempt } from "../adapters/operator-store.ts";

/** The most characters of the error of an attempt. The job has its last error as a whole. */
const errorLengthMax = 4_000;

/** An error as an attempt keeps it. */
export const attemptError = (error: string): string =>
  error.length <= errorLengthMax
    ? error
    : // The cut may be in the middle of a character.
      error.slice(0, errorLengthMax).replace(/[\ud800-\udbff]$/, "");

/** The first attempt and the last ones. */
export const addAttempt = (
  attempts: readonly StoredAttempt[],
  attempt: StoredAttempt,
): readonly StoredAttempt[] => {
  const all = [...attempts, attempt];
  const [first] = all;
  return first === undefined || all.length <= lastAttemptsKept + 1
    ? all
    : [first, ...all.slice(-lastAttemptsKept)];
};
