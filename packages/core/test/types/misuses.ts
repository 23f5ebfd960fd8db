// The most likely mistakes, and the compiler's message about each, in the first two lines.
import { signalMisuses } from "./signal-misuses.ts";

export interface Misuse {
  readonly name: string;
  readonly code: string;
  readonly says: string;
}

const entry = `{ input: null; output: null }`;
const internal = `{ input: DefineContinuationInput<null>; output: null }`;

const definitionMisuses: readonly Misuse[] = [
  {
    name: "continues to a type that is not defined",
    code: `defineUnionJobTypes<{ a: { input: null; output: DefineContinuationOutput<"b"> } }>();`,
    says: `"Error: job type 'a' continues to 'b', which is not defined"`,
  },
  {
    name: "waits for a type that is not defined",
    code: `defineUnionJobTypes<{ a: ${entry} & { blockers: [DefineBlocker<"b">] } }>();`,
    says: `"Error: job type 'a' has the blocker 'b', which is not defined"`,
  },
  {
    name: "waits for an internal type",
    code: `defineUnionJobTypes<{ a: ${entry} & { blockers: DefineBlocker<"b">[] }; b: ${internal} }>();`,
    says: `"Error: job type 'a' has the blocker 'b', which is reached by continueWith only"`,
  },
  {
    name: "declares a blocker outside a tuple",
    code: `defineUnionJobTypes<{ a: ${entry} & { blockers: DefineBlocker<"a"> } }>();`,
    says: `"Error: the blockers of job type 'a' must be a tuple such as [DefineBlocker<'other'>]"`,
  },
  {
    name: "leaves the output out",
    code: `defineUnionJobTypes<{ a: { input: null } }>();`,
    says: `"Error: job type 'a' must be { input, output } with optional blockers"`,
  },
  {
    name: "has a bigint deep in the input",
    code: `defineUnionJobTypes<{ a: { input: { lines: { price: bigint }[] }; output: null } }>();`,
    says: `"Error: the input of job type 'a' holds a bigint at 'input.lines[].price', which JSON cannot carry"`,
  },
  {
    name: "has a function in the output",
    code: `defineUnionJobTypes<{ a: { input: null; output: { run?: () => void } } }>();`,
    says: `"Error: the output of job type 'a' holds a function at 'output.run', which JSON cannot carry"`,
  },
  {
    name: "has a Map in an internal input",
    code: `defineUnionJobTypes<{ a: { input: DefineContinuationInput<Map<string, 1>>; output: null } }>();`,
    says: `"Error: the input of job type 'a' holds a Map at 'input', which JSON cannot carry"`,
  },
  {
    name: "has two things wrong",
    code: `defineUnionJobTypes<{ a: { input: symbol; output: DefineContinuationOutput<"b"> } }>();`,
    says: `"Error: the input of job type 'a' holds a symbol at 'input', which JSON cannot carry"`,
  },
  {
    name: "leaves a continuation out of the catalogue",
    code: `defineUnionJobTypes<{ a: { input: null; output: DefineContinuationOutput<"b"> }; b: ${internal} }>({ a: { entry: true }, b: { entry: false } });`,
    says: `Property 'continuesTo' is missing`,
  },
];

const startMisuses: readonly Misuse[] = [
  {
    name: "starts an internal type",
    code: `void queuert.startJobSequence({ client, typeName: "charge", input: { cents: 1 } });`,
    says: `"Error: job type 'charge' is reached by continueWith only, so no sequence can start with it"`,
  },
  {
    name: "starts an internal type among many",
    code: `void queuert.startJobSequences({ client, sequences: [{ typeName: "charge", input: { cents: 1 } }] });`,
    says: `"Error: job type 'charge' is reached by continueWith only, so no sequence can start with it"`,
  },
  {
    name: "misspells a type",
    code: `void queuert.startJobSequence({ client, typeName: "odrer", input: { orderId: 1 } });`,
    says: `Did you mean '"order"'?`,
  },
  {
    name: "forgets the transaction",
    code: `void queuert.startJobSequence({ typeName: "order", input: { orderId: 1 } });`,
    says: `Property 'client' is missing`,
  },
  {
    name: "gives the wrong input",
    code: `void queuert.startJobSequence({ client, typeName: "order", input: { orderId: "1" } });`,
    says: `Type 'string' is not assignable to type 'number'`,
  },
  {
    name: "forgets the blockers",
    code: `void queuert.startJobSequence({ client, typeName: "report", input: { month: "" } });`,
    says: `Property 'startBlockers' is missing`,
  },
  {
    name: "gives blockers to a type without",
    code: `void queuert.startJobSequence({ client, typeName: "order", input: { orderId: 1 }, startBlockers: async () => [] });`,
    says: `"Error: job type 'order' declares no blockers, so it takes no startBlockers"`,
  },
  {
    name: "completes a job of any type of the sequence",
    code: `void queuert.completeJobSequence({ client, typeName: "order", id, complete: async ({ job, complete }) => complete(job, async () => ({ parcel: "" })) });`,
    says: `"Error: narrow the job by its typeName before completing it"`,
  },
];

const inProcess = (typeName: string, process: string): string =>
  `worker.implementJobType({ typeName: "${typeName}", process: ${process} });`;

const processMisuses: readonly Misuse[] = [
  {
    name: "implements a type twice",
    code: `worker.implementJobType({ typeName: "poll", process: async ({ complete }) => complete({ found: true }) }).implementJobType({ typeName: "poll", process: async ({ complete }) => complete({ found: true }) });`,
    says: `"Error: this worker implements job type 'poll' already"`,
  },
  {
    name: "does not return the completion",
    code: inProcess("poll", `async ({ complete }) => { await complete({ found: true }); }`),
    says: `Completion<"return the result of complete(…)">`,
  },
  {
    name: "returns the output itself",
    code: inProcess("poll", `async () => ({ found: true })`),
    says: `Completion<"return the result of complete(…)">`,
  },
  {
    name: "completes by value what always continues",
    code: inProcess("charge", `async ({ complete }) => complete({ cents: 1 })`),
    says: `AlwaysContinues<"Error: job type 'charge' always continues: use complete.continueWith, or continueWith in a callback">`,
  },
  {
    // Most of them are written in place, and the compiler cuts its message after some hundred
    // characters.
    name: "completes by value what always continues, with definitions that have no name",
    code: `declare const unnamed: Queuert<{
      order: { input: { id: number }; output: DefineContinuationOutput<"ship"> };
      ship: { input: DefineContinuationInput<{ id: number }>; output: { code: string }; blockers: [DefineBlocker<"pack">] };
      pack: { input: { id: number }; output: { weight: number } };
    }, TestStateAdapter>;
    unnamed.createWorker().implementJobType({ typeName: "order", process: async ({ complete }) => complete({ cents: 1 }) });`,
    says: `AlwaysContinues<"Error: job type 'order' always continues: use complete.continueWith, or continueWith in a callback">`,
  },
  {
    name: "continues where nothing continues",
    code: inProcess(
      "send",
      `async ({ complete }) => complete(async ({ continueWith }) => continueWith({ typeName: "order" }))`,
    ),
    says: `Refused<"Error: job type 'send' has no DefineContinuationOutput in its output, so it cannot continue">`,
  },
  {
    name: "continues to a type that the output does not name",
    code: inProcess(
      "charge",
      `async ({ complete }) => complete.continueWith({ typeName: "order", input: { address: "" } })`,
    ),
    says: `Type '"order"' is not assignable to type`,
  },
  {
    name: "continues by value to a type with blockers",
    code: inProcess(
      "digest",
      `async ({ complete }) => complete.continueWith({ typeName: "publish", input: { title: "" } })`,
    ),
    says: `"Error: job type 'publish' has blockers: continue to it in complete(async ({ continueWith }) => …)"`,
  },
];

export const misuses: readonly Misuse[] = [
  ...definitionMisuses,
  ...signalMisuses,
  ...startMisuses,
  ...processMisuses,
];
