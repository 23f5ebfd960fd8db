// The reads of an operator, and what each may examine in a store of up to 1,000,000 jobs.
import type { Operator } from "queuert/operator";

/** Jobs of the store that a read is about. */
export interface Known {
  readonly dueId: string;
  readonly failedSequenceId: string;
  /** How many jobs one search looks at. */
  readonly examineStep: number;
}

export interface Read {
  readonly name: string;
  readonly run: (operator: Operator, known: Known) => Promise<unknown>;
  /** Pages of 8 kB on PostgreSQL, and distinct pages of 4 kB on SQLite. */
  readonly pagesMax: (known: Known) => number;
  /** Keys of indexes on MongoDB. */
  readonly keysMax: (known: Known) => number;
  /** Documents on MongoDB. */
  readonly documentsMax: number;
}

const list =
  (filter: string): Read["run"] =>
  (operator) =>
    operator.listJobs({ filter });

/** The jobs that a search looks at, with the index that leads to them. */
const examined = ({ examineStep }: Known): number => examineStep * 0.15 + 1_000;

/** A search finds the end of its step by a walk over keys, looks at the jobs in it, and counts them. */
const walked = ({ examineStep }: Known): number => examineStep * 3 + 2_000;

const dayMs = 86_400_000;

export const reads: readonly Read[] = [
  {
    name: "newest jobs",
    run: list(""),
    pagesMax: () => 500,
    keysMax: () => 300,
    documentsMax: 200,
  },
  {
    name: "a common type",
    run: list("type:type-1"),
    pagesMax: () => 3_000,
    keysMax: () => 10_000,
    documentsMax: 200,
  },
  {
    name: "a type of 1 in 1,000",
    run: list("type:rare"),
    pagesMax: examined,
    keysMax: walked,
    documentsMax: 200,
  },
  {
    name: "a type that no job has",
    run: list("type:absent"),
    pagesMax: examined,
    keysMax: walked,
    documentsMax: 200,
  },
  {
    name: "a text of payloads",
    run: list('input:"nowhere"'),
    pagesMax: ({ examineStep }) => examineStep * 0.6 + 10_000,
    keysMax: () => 30_000,
    documentsMax: 15_000,
  },
  {
    name: "failed jobs",
    run: list("status:failed"),
    pagesMax: () => 8_000,
    keysMax: () => 30_000,
    documentsMax: 12_000,
  },
  {
    name: "blocked jobs",
    run: list("status:blocked"),
    pagesMax: () => 8_000,
    keysMax: () => 30_000,
    documentsMax: 200,
  },
  {
    name: "due jobs",
    run: list("is:due"),
    pagesMax: () => 6_000,
    keysMax: () => 10_000,
    documentsMax: 500,
  },
  {
    name: "jobs for later",
    run: list("is:scheduled"),
    pagesMax: () => 6_000,
    keysMax: () => 10_000,
    documentsMax: 500,
  },
  {
    name: "retried jobs",
    run: list("is:retrying"),
    pagesMax: examined,
    keysMax: () => 1_000,
    documentsMax: 200,
  },
  {
    name: "running jobs",
    run: list("status:running"),
    pagesMax: () => 6_000,
    keysMax: () => 3_000,
    documentsMax: 500,
  },
  {
    name: "a worker",
    run: list("worker:worker-1"),
    pagesMax: () => 6_000,
    keysMax: () => 3_000,
    documentsMax: 500,
  },
  {
    name: "created 3 to 2 days ago",
    run: list("since:3d until:2d"),
    pagesMax: () => 3_000,
    keysMax: () => 10_000,
    documentsMax: 1_000,
  },
  {
    name: "the beginning of an id",
    run: (operator, { dueId }) => operator.listJobs({ filter: `id:${dueId.slice(0, 34)}` }),
    pagesMax: () => 300,
    keysMax: () => 1_000,
    documentsMax: 200,
  },
  {
    name: "one job",
    run: (operator, { dueId }) => operator.getJob({ id: dueId }),
    pagesMax: () => 300,
    keysMax: () => 100,
    documentsMax: 20,
  },
  {
    name: "explain",
    run: (operator, { dueId }) => operator.explain({ id: dueId }),
    pagesMax: () => 1_000,
    keysMax: () => 20_000,
    documentsMax: 200,
  },
  {
    name: "a tree",
    run: (operator, { failedSequenceId }) => operator.getTree({ sequenceId: failedSequenceId }),
    pagesMax: () => 300,
    keysMax: () => 300,
    documentsMax: 100,
  },
  {
    name: "dependants",
    run: (operator, { failedSequenceId }) =>
      operator.listDependants({ sequenceId: failedSequenceId }),
    pagesMax: () => 300,
    keysMax: () => 100,
    documentsMax: 50,
  },
  {
    name: "failures by cause",
    run: (operator) => operator.listFailures(),
    pagesMax: () => 14_000,
    keysMax: () => 40_000,
    documentsMax: 12_000,
  },
  {
    name: "how many failed",
    run: (operator) => operator.countJobs({ filter: "status:failed" }),
    pagesMax: () => 8_000,
    keysMax: () => 20_000,
    documentsMax: 100,
  },
  {
    name: "overview",
    run: (operator) => operator.getOverview(),
    pagesMax: () => 45_000,
    keysMax: () => 60_000,
    documentsMax: 12_000,
  },
  {
    name: "metrics of a day",
    run: (operator) => operator.getMetrics({ sinceMs: dayMs }),
    pagesMax: () => 3_000,
    keysMax: () => 3_000,
    documentsMax: 100,
  },
];
