// Failed jobs grouped by their cause: the type and the first line of the error, with ids, numbers and quotes left out.
import type { StateJob } from "../../model/state-job.ts";
import { quoteText } from "../filter/quote-text.ts";
import { firstLine } from "../explain/words.ts";

/** Failed jobs of one type with one cause. */
export interface FailureGroup {
  readonly typeName: string;
  /** The first line of the error, with `#` for each varying part. */
  readonly cause: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The newest job of the group. */
  readonly sampleId: string;
  /** Finds the jobs of the group. */
  readonly filter: string;
}

const lengthMax = 200;

/** The part of an error that is alike for all failures of one cause. */
export const causeOf = (error: string | null): string =>
  firstLine(error)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, "#")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "#")
    .replaceAll(/\b(?=\w*\d)[\w-]*\d[\w-]*\b/g, "#")
    .slice(0, lengthMax);

/** Groups failed jobs, the largest group first. */
export const groupFailures = (jobs: readonly StateJob[]): readonly FailureGroup[] => {
  const groups = new Map<string, StateJob[]>();
  for (const job of jobs) {
    const key = JSON.stringify([job.typeName, causeOf(job.lastAttemptError)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [job]);
    else group.push(job);
  }
  return [...groups.values()]
    .map(toGroup)
    .sort((left, right) => right.count - left.count || (left.cause < right.cause ? -1 : 1));
};

const toGroup = (jobs: readonly StateJob[]): FailureGroup => {
  const times = jobs.map(({ finishedAt, createdAt }) => (finishedAt ?? createdAt).getTime());
  const lastAt = Math.max(...times);
  const sample = jobs[times.indexOf(lastAt)] as StateJob;
  const cause = causeOf(sample.lastAttemptError);
  const part = longestConstantPart(cause);
  const typeTerm = `type:${quoteText(sample.typeName)}`;
  return {
    typeName: sample.typeName,
    cause,
    count: jobs.length,
    firstAt: new Date(Math.min(...times)),
    lastAt: new Date(lastAt),
    sampleId: sample.id,
    filter:
      part === ""
        ? `status:failed ${typeTerm}`
        : `status:failed ${typeTerm} error:${quoteText(part)}`,
  };
};

const longestConstantPart = (cause: string): string =>
  cause
    .split("#")
    .map((part) => part.trim())
    .reduce((longest, part) => (part.length > longest.length ? part : longest), "");
