// Users spread the context of their transaction into the options of a call. What is an option proper is named here, per
// method; everything else is context, whatever an adapter calls it.
import { InvalidOptionError } from "./errors.ts";
import { newJobOptionNames } from "./lifecycle/new-job.ts";
import { assertSpelling } from "./model/assert-spelling.ts";
import { nearNames } from "./model/near-names.ts";

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
  startJobSequence: newJobOptionNames,
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
    if (names.includes(key)) own[key] = options[key];
    else {
      context[key] = options[key];
      if (!contextNames.has(key)) assertContextName(key, options, names);
    }
  }
  return { own, context };
};

// Names that have passed, so that those of a provider are compared with the options once and not in every call.
const contextNames = new Set<string>();
const contextNamesMax = 100;

const assertContextName = (key: string, options: Options, names: readonly string[]): void => {
  assertSpelling(options, names);
  // Passed for this method; for another it may still be a typo.
  const isFarFromAll = Object.values(optionNames).every(
    (others) => nearNames(key, others).length === 0,
  );
  if (isFarFromAll && contextNames.size < contextNamesMax) contextNames.add(key);
};

/** A call without any context runs by itself. */
export const orNone = (context: object): object | undefined =>
  Object.values(context).every((value) => value === undefined) ? undefined : context;
