// The filter language in one table: the name of a term, the condition that it means, its cost, and how it is completed.
// The dashboard, the command line and agents read this table. A new term is one row.
import type { JobCondition } from "../../adapters/job-condition.ts";
import { jobStatuses } from "../../model/status.ts";
import { contains, inputAt, number, text, time } from "./conditions.ts";
import { parseChoice, parseIds, type TermGiven } from "./parse-values.ts";

/**
 * `indexed`: the store finds the jobs by an index. `examined`: it looks at jobs one by one, so a search looks at a bounded
 * number of them.
 */
export type TermCost = "indexed" | "examined";

/** Where the values that a user may write come from. */
export type TermCompletion = "typeNames" | "workerIds" | readonly string[] | null;

/** A term of the filter language, with an example and its cost. */
export interface TermDefinition {
  readonly name: string;
  /** One sentence for the help of a command and of an input field. */
  readonly help: string;
  readonly example: string;
  readonly cost: TermCost;
  readonly completion: TermCompletion;
  readonly toCondition: (given: TermGiven) => JobCondition;
}

/** The prefix of terms that look into the input, such as `input.user.id:42`. */
export const inputPathPrefix = "input.";

const derivedStates = ["open", "due", "scheduled", "retrying", "stalled", "root"] as const;

/** All terms, in the order of the help. */
export const filterTerms: readonly TermDefinition[] = [
  {
    name: "type",
    help: "The type of the job.",
    example: "type:send-mail,send-letter",
    cost: "examined",
    completion: "typeNames",
    toCondition: text("typeName"),
  },
  {
    name: "status",
    help: "The status of the job.",
    example: "status:failed",
    cost: "indexed",
    completion: jobStatuses,
    toCondition: (given) => ({
      field: "status",
      anyOf: parseChoice(given, jobStatuses),
      negated: given.negated,
    }),
  },
  {
    name: "is",
    help: "A state that follows from several fields.",
    example: "is:retrying",
    cost: "indexed",
    completion: derivedStates,
    toCondition: (given) => ({
      field: "is",
      anyOf: parseChoice(given, derivedStates),
      negated: given.negated,
    }),
  },
  {
    name: "id",
    help: "The id of the job, or its beginning.",
    example: "id:0199a3",
    cost: "indexed",
    completion: null,
    toCondition: parseIds,
  },
  {
    name: "seq",
    help: "The id of the sequence.",
    example: "seq:0199a2f0-4c1e-7d21-9f40-5b1f0c9a88a0",
    cost: "indexed",
    completion: null,
    toCondition: text("sequenceId"),
  },
  {
    name: "root",
    help: "The id of the root sequence of the tree.",
    example: "root:0199a2f0-4c1e-7d21-9f40-5b1f0c9a88a0",
    cost: "indexed",
    completion: null,
    toCondition: text("rootSequenceId"),
  },
  {
    name: "origin",
    help: "The id of the job that started this one.",
    example: "origin:0199a2f0-4c1e-7d21-9f40-5b1f0c9a88a0",
    cost: "examined",
    completion: null,
    toCondition: text("originId"),
  },
  {
    name: "seq-type",
    help: "The type of the first job of the sequence.",
    example: "seq-type:order",
    cost: "examined",
    completion: "typeNames",
    toCondition: text("sequenceTypeName"),
  },
  {
    name: "key",
    help: "The deduplication key.",
    example: "key:day-2026",
    cost: "examined",
    completion: null,
    toCondition: text("deduplicationKey"),
  },
  {
    name: "limit",
    help: "The limit that the job stands under with a key.",
    example: "limit:api-calls",
    cost: "examined",
    completion: null,
    toCondition: text("limitName"),
  },
  {
    name: "limit-key",
    help: "The key that the job stands under.",
    example: "limit-key:customer-7",
    cost: "examined",
    completion: null,
    toCondition: text("limitKey"),
  },
  {
    name: "worker",
    help: "The worker that runs the job.",
    example: "worker:mailer-1",
    cost: "indexed",
    completion: "workerIds",
    toCondition: text("leasedBy"),
  },
  {
    name: "completed-by",
    help: "The worker that completed the job.",
    example: "completed-by:mailer-1",
    cost: "examined",
    completion: "workerIds",
    toCondition: text("completedBy"),
  },
  {
    name: "priority",
    help: "The priority of the job.",
    example: "priority:>=10",
    cost: "examined",
    completion: null,
    toCondition: number("priority"),
  },
  {
    name: "attempt",
    help: "The number of attempts that count.",
    example: "attempt:>3",
    cost: "examined",
    completion: null,
    toCondition: number("attempt"),
  },
  {
    name: "since",
    help: "Created at this time or later.",
    example: "since:2h",
    cost: "indexed",
    completion: ["15m", "1h", "1d", "7d"],
    toCondition: time("createdAt", "from"),
  },
  {
    name: "until",
    help: "Created before this time.",
    example: "until:2026-11-18T09:00Z",
    cost: "indexed",
    completion: ["15m", "1h", "1d", "7d"],
    toCondition: time("createdAt", "to"),
  },
  {
    name: "finished-since",
    help: "Finished at this time or later.",
    example: "finished-since:1h",
    cost: "examined",
    completion: ["15m", "1h", "1d", "7d"],
    toCondition: time("finishedAt", "from"),
  },
  {
    name: "finished-until",
    help: "Finished before this time.",
    example: "finished-until:1d",
    cost: "examined",
    completion: ["15m", "1h", "1d", "7d"],
    toCondition: time("finishedAt", "to"),
  },
  {
    name: "error",
    help: "A part of the last error.",
    example: 'error:"does not answer"',
    cost: "examined",
    completion: null,
    toCondition: contains("lastAttemptError"),
  },
  {
    name: "input",
    help: "A part of the JSON text of the input.",
    example: 'input:"A-17"',
    cost: "examined",
    completion: null,
    toCondition: contains("input"),
  },
  {
    name: "output",
    help: "A part of the JSON text of the output.",
    example: "output:refused",
    cost: "examined",
    completion: null,
    toCondition: contains("output"),
  },
];

/** The term `input.user.id`. */
export const inputPathTerm: TermDefinition = {
  name: inputPathPrefix,
  help: "A value in the input, by its path.",
  example: "input.user.id:42",
  cost: "examined",
  completion: null,
  toCondition: inputAt,
};
