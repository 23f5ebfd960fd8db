// Programs of any number of job types, in which every type is implemented by a worker and every
// entry type is started.

export interface Fixture {
  readonly name: string;
  readonly source: (typeCount: number, coreFolder: string) => string;
}

const chainLength = 100;
const typesPerWorker = 100;

const preamble = (coreFolder: string): string => `
import { defineUnionJobTypes } from "${coreFolder}/src/job-types/define-job-types.ts";
import type { DefineBlocker, DefineContinuationInput, DefineContinuationOutput } from "${coreFolder}/src/job-types/markers.ts";
import type { StateAdapter } from "${coreFolder}/src/adapters/state-adapter.ts";
import type { Queuert } from "${coreFolder}/src/queuert-types.ts";
type Client = { query(sql: string): Promise<void> };
type State = StateAdapter<{ client: Client }, { client: Client }, string>;
declare const queuert: Queuert<Definitions, State>;
declare const client: Client;
export type Markers = [DefineBlocker<"">, DefineContinuationInput<0>, DefineContinuationOutput<"">];
export const jobTypes = defineUnionJobTypes<Definitions>();
`;

const indexes = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const program = (
  coreFolder: string,
  typeCount: number,
  of: {
    readonly definition: (index: number) => string;
    readonly process: (index: number) => string;
    /** Nothing for a type that no sequence starts with. */
    readonly use: (index: number) => string;
  },
): string => {
  const all = indexes(typeCount);
  const implemented = (index: number): string =>
    `  .implementJobType({ typeName: "t${index}", process: ${of.process(index)} })`;
  const workers = all
    .filter((index) => index % typesPerWorker === 0)
    .map((first) => all.slice(first, first + typesPerWorker).map(implemented))
    .map((lines) => ["queuert.createWorker()", ...lines, ";"].join("\n"));
  return [
    preamble(coreFolder),
    `type Definitions = {`,
    ...all.map((index) => `  t${index}: ${of.definition(index)};`),
    `};`,
    ...workers,
    `export const use = async (): Promise<void> => {`,
    ...all.map(of.use),
    `};`,
  ].join("\n");
};

/** Chains of 100 types; one end of each is started, waited for, and asked for its output. */
const chains: Fixture = {
  name: "chains of 100",
  source: (typeCount, coreFolder) => {
    const isFirst = (index: number): boolean => index % chainLength === 0;
    const isLast = (index: number): boolean =>
      index % chainLength === chainLength - 1 || index === typeCount - 1;
    const lastOf = (index: number): number => Math.min(typeCount, index + chainLength) - 1;
    const nextJob = (index: number): string =>
      `{ typeName: "t${index + 1}", input: { id${index + 1}: job.input.id${index}, name: job.sequenceTypeName } }`;
    return program(coreFolder, typeCount, {
      definition: (index) => {
        const input = `{ id${index}: number; name: string }`;
        const output = isLast(index)
          ? `{ done${index}: true }`
          : `DefineContinuationOutput<"t${index + 1}">`;
        return `{ input: ${isFirst(index) ? input : `DefineContinuationInput<${input}>`}; output: ${output} }`;
      },
      process: (index) => {
        if (isLast(index)) return `async ({ complete }) => complete({ done${index}: true })`;
        if (index % 2 === 0) {
          return `async ({ job, complete }) => complete.continueWith(${nextJob(index)})`;
        }
        return `async ({ job, complete }) => complete(async ({ client, continueWith }) => {
    await client.query("");
    return continueWith(${nextJob(index)});
  })`;
      },
      use: (index) =>
        isFirst(index)
          ? `{ const { id } = await queuert.startJobSequence({ client, typeName: "t${index}", input: { id${index}: 1, name: "" } });
  const { output } = await queuert.waitForJobSequenceCompletion({ typeName: "t${index}", id, timeoutMs: 1 });
  output satisfies { done${lastOf(index)}: true };
  await queuert.completeJobSequence({ client, typeName: "t${index}", id, complete: async ({ job, complete }) => {
    if (job.typeName !== "t${lastOf(index)}") return job;
    return complete(job, async () => ({ done${lastOf(index)}: true }));
  } }); }`
          : "",
    });
  },
};

/**
 * Entry types only, each waiting for the two before it; each is started with them, and reads their
 * outputs.
 */
const blockers: Fixture = {
  name: "two blockers each",
  source: (typeCount, coreFolder) => {
    const waits = (index: number): boolean => index >= 2;
    return program(coreFolder, typeCount, {
      definition: (index) => {
        const blocked = waits(index)
          ? `; blockers: [DefineBlocker<"t${index - 1}">, DefineBlocker<"t${index - 2}">]`
          : "";
        return `{ input: { id${index}: number }; output: { done${index}: Date }${blocked} }`;
      },
      process: (index) =>
        waits(index)
          ? `async ({ job, complete }) => complete({ done${index}: new Date(job.blockers[0].output.done${index - 1}) })`
          : `async ({ complete }) => complete({ done${index}: new Date() })`,
      use: (index) => {
        const startBlockers = waits(index)
          ? `, startBlockers: async () => [{ id: "", typeName: "t${index - 1}" }, { id: "", typeName: "t${index - 2}" }]`
          : "";
        return `await queuert.startJobSequence({ client, typeName: "t${index}", input: { id${index}: 1 }${startBlockers} });`;
      },
    });
  },
};

/** The unions of all types, as a dashboard reads them. */
const reads: Fixture = {
  name: "reads of any type",
  source: (typeCount, coreFolder) =>
    program(coreFolder, typeCount, {
      definition: (index) => `{ input: { id${index}: number }; output: { done${index}: true } }`,
      process: (index) => `async ({ complete }) => complete({ done${index}: true })`,
      use: (index) =>
        index === 0
          ? `const job = await queuert.getJob({ id: "" });
  if (job?.typeName === "t1") job.input satisfies { id1: number };
  for (const item of (await queuert.listJobs({ status: "running" })).items) item.leasedBy satisfies string;
  for (const item of (await queuert.listJobSequences({ status: ["completed", "failed"] })).items) void item.status;`
          : "",
    }),
};

export const fixtures: readonly Fixture[] = [chains, blockers, reads];
