// The options and the pages of an operator's reads.
import type { PageOrder } from "../model/page.ts";
import type { ParsedFilter } from "./filter/parse-filter.ts";
import type { PayloadView } from "./redact/redact.ts";
import type { FailureGroup } from "./views/failures.ts";
import type { JobView } from "./views/job-view.ts";
import type { ListedSequence } from "./views/sequence-view.ts";

/** A search. */
export interface SearchJobsOptions {
  /** The filter, such as `status:failed type:send-mail`. Default: all jobs. */
  readonly filter?: string | undefined;
  /**
   * By creation: `"desc"` (default), the newest first, or `"asc"`. `"next"`: the due jobs of one type in the order in which they
   * are acquired, without those under keys, which take turns. Then the filter is one `type:` term.
   */
  readonly order?: PageOrder | "next" | undefined;
  /** The most items of a page, from 1 to 1000. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | null | undefined;
  /** How payloads are shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
  /** Whole payloads and errors, for an export, instead of their first 256 characters. Default: false. */
  readonly wholePayloads?: boolean | undefined;
}

/** A search of sequences. */
export interface SearchSequencesOptions extends Omit<SearchJobsOptions, "wholePayloads" | "order"> {
  /** By creation: `"desc"` (default), the newest first, or `"asc"`. */
  readonly order?: PageOrder | undefined;
  /** Leaves out sequences that jobs have started. Default: false. */
  readonly rootsOnly?: boolean | undefined;
}

/** One page of a search of sequences. It may have no items although more match: `nextCursor` looks further. */
export interface SequencesPage {
  /** The store's clock. */
  readonly at: Date;
  readonly items: readonly ListedSequence[];
  /** Null: all sequences were looked at. */
  readonly nextCursor: string | null;
  /** How many sequences were looked at for this page. */
  readonly examined: number;
  readonly filter: ParsedFilter;
}

/** The options of `countJobs`. */
export interface CountJobsOptions {
  /** The filter, such as `status:failed type:send-mail`. Default: all jobs. */
  readonly filter?: string | undefined;
  /** Whose payloads the filter may look into. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** How many jobs match. */
export interface CountReport {
  /** The store's clock. */
  readonly at: Date;
  readonly count: number;
  /** There may be more: counting looks at 100,000 jobs. */
  readonly isAtLeast: boolean;
  readonly filter: ParsedFilter;
}

/** The options of `listDependants`. */
export interface ListDependantsOptions {
  /** The sequence that the jobs wait for. */
  readonly sequenceId: string;
  /** The most items of a page, from 1 to 1000. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | null | undefined;
  /** How payloads are shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** One page of the jobs that wait or waited for a sequence. */
export interface DependantsPage {
  /** The store's clock. */
  readonly at: Date;
  readonly items: readonly JobView[];
  /** Null: there are no more. */
  readonly nextCursor: string | null;
}

/** The options of `checkHealth`. */
export interface CheckHealthOptions {
  /** A transaction that is open for longer is a finding, in milliseconds. Default: 5 minutes. */
  readonly longTransactionMs?: number | undefined;
  /** Also makes checks that read the whole store, such as that of a file. Default: false. */
  readonly isThorough?: boolean | undefined;
}

/** One page of a search. It may have no items although more jobs match: `nextCursor` looks further. */
export interface JobsPage {
  /** The store's clock. */
  readonly at: Date;
  readonly items: readonly JobView[];
  /** Null: all jobs were looked at. */
  readonly nextCursor: string | null;
  /** How many jobs were looked at for this page. */
  readonly examined: number;
  /** With the order `"next"`: more jobs may be due, behind scheduled ones of a higher priority. */
  readonly isCut: boolean;
  /** When the last job that was looked at was created. Null: all jobs were looked at. */
  readonly examinedTo: Date | null;
  readonly filter: ParsedFilter;
}

/** The options of `listFailures`. */
export interface ListFailuresOptions {
  /** Narrows the failed jobs. Default: all of them. */
  readonly filter?: string | undefined;
  /** Whose payloads the filter may look into. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** The options of `getTree`. */
export interface GetTreeOptions {
  /** Any sequence of the tree. */
  readonly sequenceId: string;
  /** The most jobs, from 1 to 1000. Default 500. */
  readonly limit?: number | undefined;
  /** How payloads are shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** The options of `listSchedules` of an operator. */
export interface ListScheduleViewsOptions {
  /** Only schedules with these names. Default: all. */
  readonly names?: readonly string[] | undefined;
  /** The most schedules, from 1 to 1000. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | null | undefined;
  /** How inputs are shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** The options of `getSchedule` of an operator. */
export interface GetScheduleOptions {
  /** The name of the schedule. */
  readonly name: string;
  /** How the input is shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** The options of `listLimitKeys`. */
export interface ListLimitKeysOptions {
  /** The job type, or the name that several types share. */
  readonly limitName: string;
  /** The `nextKey` of the previous page, or any text to begin at. Default: the first key. */
  readonly fromKey?: string | null | undefined;
  /** The most keys, from 1 to 1000. Default 50. */
  readonly limit?: number | undefined;
}

/** Failed jobs by cause, and how far the search looked. */
export interface FailuresReport {
  /** The store's clock. */
  readonly at: Date;
  /** The largest group first. */
  readonly groups: readonly FailureGroup[];
  /** Failed jobs in all groups. */
  readonly count: number;
  /** There are more failed jobs than were looked at. */
  readonly isAtLeast: boolean;
}

/** The options of `getLogs`. */
export interface GetLogsOptions {
  /** The id of the job. */
  readonly id: string;
  /** The `cursor` of an earlier answer: only lines that were stored after it. Default: all lines. */
  readonly cursor?: string | null | undefined;
  /** How data of lines is shown. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
}

/** The options of `getMetrics`. */
export interface GetMetricsOptions {
  /** How long ago the period began, in milliseconds, up to 90 days. Default: an hour. */
  readonly sinceMs?: number | undefined;
  /** How long ago the period ended, in milliseconds. Default: 0. */
  readonly untilMs?: number | undefined;
  /** The types of jobs. Default: all of them. */
  readonly typeNames?: readonly string[] | undefined;
}
