// A state adapter that gives payloads of earlier versions as payloads of this version. The store keeps the text as it is. An
// acquired job whose payload no upcast accepts is marked, and its attempt fails; in every other result the stored value stands.
import { mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { AcquiredJob } from "../adapters/state-adapter-params.ts";
import { InvalidPayloadError } from "../errors.ts";
import type { RuntimeCatalogue, RuntimeCatalogueEntry } from "../job-types/catalogue.ts";
import { parse } from "../job-types/registry.ts";
import type { PayloadCodec, PayloadOwner } from "../model/payload.ts";
import type { JsonText, StateJob } from "../model/state-job.ts";
import { replaceJobs } from "./replace-jobs.ts";

/** Their results are the caller's own. */
const callbacks: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
]);

export const withUpcasts = (
  adapter: AnyStateAdapter,
  catalogue: RuntimeCatalogue,
  codec: PayloadCodec | null,
): AnyStateAdapter => {
  const upcast = (job: StateJob): Promise<StateJob> => upcastJob(catalogue, codec, job);
  const lenient = (job: StateJob): Promise<StateJob> => upcast(job).catch(() => job);
  const read = mapMethods(adapter, (method, name) =>
    callbacks.has(name) ? method : async (...args) => replaceJobs(await method(...args), lenient),
  );
  return {
    ...read,
    acquireJobs: async (params) => {
      const result = await adapter.acquireJobs(params);
      const jobs = await Promise.all(result.jobs.map((one) => upcastAcquired(upcast, one)));
      return { ...result, jobs };
    },
  };
};

/** One job that cannot be read must not cost the others their acquisition: its error travels with it. */
const upcastAcquired = async (
  upcast: (job: StateJob) => Promise<StateJob>,
  acquired: AcquiredJob,
): Promise<AcquiredJob> => {
  if (acquired.unreadable !== undefined) return acquired;
  try {
    return await replaceJobs(acquired, upcast);
  } catch (error) {
    return { ...acquired, unreadable: error as Error };
  }
};

const upcastJob = async (
  catalogue: RuntimeCatalogue,
  codec: PayloadCodec | null,
  job: StateJob,
): Promise<StateJob> => {
  const entry = catalogue[job.typeName];
  if (entry === undefined) return job;
  const read = (part: "input" | "output", text: JsonText): Promise<JsonText> =>
    upcastText(entry, codec, { typeName: job.typeName, part }, text);
  const input = await read("input", job.input);
  const isOutput = job.status === "completed" && job.output !== null;
  const output = isOutput ? await read("output", job.output) : job.output;
  return input === job.input && output === job.output ? job : { ...job, input, output };
};

/** The stored text if it fits the schema of today; otherwise that of the first upcast that accepts it. */
const upcastText = async (
  entry: RuntimeCatalogueEntry,
  codec: PayloadCodec | null,
  { typeName, part }: PayloadOwner,
  text: JsonText,
): Promise<JsonText> => {
  const { [part]: schema, [part === "input" ? "upcast" : "upcastOutput"]: upcasts } = entry;
  if (upcasts === undefined) return text;
  const format = codec ?? JSON;
  const stored: unknown = format.parse(text);
  const refusal = await refusalOf(() => parse(schema, typeName, part, stored));
  if (refusal === null) return text;
  for (const { from, to } of upcasts) {
    const accepted = await from["~standard"].validate(stored);
    if (accepted.issues) continue;
    const made = await parse(schema, typeName, part, await to(accepted.value));
    return format.stringify(made) ?? "null";
  }
  throw refusal;
};

/** The error of a schema that refuses the value; null if it accepts it. */
const refusalOf = async (run: () => unknown): Promise<InvalidPayloadError | null> => {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof InvalidPayloadError) return error;
    throw error;
  }
};
