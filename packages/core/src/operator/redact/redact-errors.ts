// A state adapter whose errors are redacted as soon as they are read: no sentence, group or list then has the hidden parts.
import { mapMethods } from "../../adapter-kit/wrap-adapters.ts";
import type { OperatorStore, StoredAttempt } from "../../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import { replaceJobs } from "../../versioning/replace-jobs.ts";
import type { RedactTextOption } from "./redact.ts";

/** Their results are the caller's own. */
const callbacks: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

const unreadable = "‹redacted›";

/** A text that the function cannot redact is hidden. Without a function it is shown whole. */
export const redactedText = (redactText: RedactTextOption | undefined, text: string): string => {
  if (redactText === undefined) return text;
  try {
    const shown: unknown = redactText(text);
    return typeof shown === "string" ? shown : unreadable;
  } catch {
    return unreadable;
  }
};

export const withRedactedErrors = (
  adapter: AnyStateAdapter,
  redactText: RedactTextOption,
): AnyStateAdapter => {
  const shown = (text: string): string => redactedText(redactText, text);
  const read = async (job: StateJob): Promise<StateJob> =>
    job.lastAttemptError === null ? job : { ...job, lastAttemptError: shown(job.lastAttemptError) };
  const mapped = mapMethods(adapter, (method, name) =>
    callbacks.has(name) ? method : async (...args) => replaceJobs(await method(...args), read),
  );
  const { operator } = adapter;
  return { ...mapped, operator: operator && redactOperator(operator, read, shown) };
};

const redactOperator = (
  operator: OperatorStore,
  read: (job: StateJob) => Promise<StateJob>,
  shown: (text: string) => string,
): OperatorStore => {
  const mapped = mapMethods(
    operator,
    (method) =>
      async (...args) =>
        replaceJobs(await method(...args), read),
  );
  const { listAttempts } = mapped;
  if (listAttempts === undefined) return mapped;
  const ofAttempt = (attempt: StoredAttempt): StoredAttempt => ({
    ...attempt,
    error: shown(attempt.error),
  });
  return {
    ...mapped,
    listAttempts: async (params) =>
      (await listAttempts(params)).map((attempts) => attempts.map(ofAttempt)),
  };
};
