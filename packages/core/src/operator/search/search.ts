// A search of an operator: the filter is read, checked against the hidden parts of payloads, and applied.
import type { JobCondition, StoreCondition } from "../../adapters/job-condition.ts";
import type { ExaminedJobs, ExamineJobsParams } from "../../adapters/operator-reads.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { ParsedFilter } from "../filter/parse-filter.ts";
import { matchesAll } from "../../adapter-kit/job-conditions.ts";
import { InvalidFilterError } from "../operator-errors.ts";
import type { PayloadView, Redaction, RedactTextOption } from "../redact/redact.ts";
import { examineJobs } from "./examine-jobs.ts";

export interface Viewer {
  readonly view: PayloadView;
  readonly redaction: Redaction;
  /** Errors of jobs are redacted when they are read; this is for other texts. Undefined: texts are shown whole. */
  readonly redactText: RedactTextOption | undefined;
}

/** Refuses terms by which hidden values could be guessed. */
export const assertSearchable = (
  { text, terms }: ParsedFilter,
  { view, redaction }: Viewer,
): void => {
  if (view === "raw") return;
  for (const { condition, position, length, name } of terms) {
    const isHidden =
      condition.field === "inputAt"
        ? view === "masked" || redaction.hides(condition.path)
        : condition.field === "contains" && view === "masked";
    if (!isHidden) continue;
    throw new InvalidFilterError({
      filter: text,
      position,
      length,
      problem: `has a term${name === null ? "" : ` \`${name}:\``} that looks into hidden values`,
      remedy: "leave it out, or ask for the right to see payloads",
    });
  }
};

export interface SearchParams extends Omit<ExamineJobsParams, "conditions"> {
  readonly conditions: readonly JobCondition[];
}

/** Jobs whose payloads are compared here, for one page. */
const comparedMax = 10_000;

/**
 * One page of a search. Values at a path are compared here, since each database has its own rules for paths. If values are
 * hidden, the store does not look into payloads at all: they are redacted first, and compared here. Neither the jobs found nor
 * the number of jobs looked at then depend on a hidden value.
 */
export const search = async (
  state: AnyStateAdapter,
  params: SearchParams,
  { view, redaction, redactText }: Viewer,
  now: Date,
): Promise<ExaminedJobs> => {
  const isRaw = view === "raw";
  const isForStore = (each: JobCondition): each is StoreCondition => {
    if (each.field === "contains") {
      return redactText === undefined && (isRaw || !looksIntoPayload(each));
    }
    return each.field !== "inputAt";
  };
  const conditions = params.conditions.filter(isForStore);
  const compared = params.conditions.filter((each) => !isForStore(each));
  if (compared.length === 0) return examineJobs(state, { ...params, conditions }, now);
  const examineMax = Math.min(params.examineMax, comparedMax);
  const jobs: StateJob[] = [];
  let { afterOrdinal } = params;
  let examined = 0;
  while (examined < examineMax) {
    const page = { ...params, conditions, afterOrdinal, limit: 500 };
    const found = await examineJobs(state, { ...page, examineMax: examineMax - examined }, now);
    for (const job of found.jobs) {
      const shown = isRaw ? job : redacted(job, redaction);
      if (!matchesAll(shown, compared, now)) continue;
      jobs.push(job);
      if (jobs.length < params.limit) continue;
      return { jobs, examined: examined + found.examined, examinedTo: job.ordinal };
    }
    examined += found.examined;
    afterOrdinal = found.examinedTo;
    if (afterOrdinal === null) break;
  }
  return { jobs, examined, examinedTo: afterOrdinal };
};

const looksIntoPayload = (condition: JobCondition): boolean =>
  condition.field === "contains" && condition.of.some((field) => field !== "lastAttemptError");

/** A job whose hidden values cannot match. */
export const redacted = (job: StateJob, redaction: Redaction): StateJob => ({
  ...job,
  input: shownAs(job, "input", redaction) ?? "",
  output: shownAs(job, "output", redaction),
});

const shownAs = (
  { typeName, ...job }: StateJob,
  field: "input" | "output",
  redaction: Redaction,
): string | null => {
  const text = job[field];
  return text === null ? null : redaction.show(text, { typeName, field }, "redacted");
};
