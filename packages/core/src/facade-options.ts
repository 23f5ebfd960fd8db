// Users spread the context of their transaction into the options of a call. What is an option proper is named here, per
// method; everything else is context, whatever an adapter calls it.
import { InvalidOptionError } from "./errors.ts";

export type Options = Readonly<Record<string, unknown>>;

const listOptions: readonly string[] = [
  "typeName",
  "status",
  "rootSequenceId",
  "createdFrom",
  "createdTo",
  "order",
  "limit",
  "cursor",
];

/** A method whose options carry a context. */
export type MethodName =
  | "startJobSequence"
  | "startJobSequences"
  | "completeJobSequence"
  | "deleteJobSequences"
  | "retryFailedJobs"
  | "triggerJobs"
  | "getJob"
  | "getJobSequence"
  | "listJobs"
  | "listJobSequences"
  | "getBlockerGraph";

const optionNames: Readonly<Record<MethodName, readonly string[]>> = {
  startJobSequence: [
    "typeName",
    "input",
    "deduplication",
    "schedule",
    "priority",
    "startBlockers",
    "onBlockerFailure",
  ],
  startJobSequences: ["sequences"],
  completeJobSequence: ["typeName", "id", "complete"],
  deleteJobSequences: ["rootSequenceIds"],
  retryFailedJobs: ["ids"],
  triggerJobs: ["ids"],
  getJob: ["id", "typeName"],
  getJobSequence: ["id", "typeName"],
  listJobs: [...listOptions, "sequenceId"],
  listJobSequences: listOptions,
  getBlockerGraph: ["sequenceId"],
};

/** Tells the two apart. */
export const splitOptions = (
  method: MethodName,
  options: Options,
): { readonly own: Options; readonly context: object } => {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionError("options", options, "give an object");
  }
  const names = optionNames[method];
  const own: Record<string, unknown> = {};
  const context: Record<string, unknown> = {};
  for (const key of Object.keys(options)) {
    (names.includes(key) ? own : context)[key] = options[key];
  }
  return { own, context };
};

/** A call without any context runs by itself. */
export const orNone = (context: object): object | undefined =>
  Object.values(context).every((value) => value === undefined) ? undefined : context;
