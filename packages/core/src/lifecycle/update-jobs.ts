// Jobs that do not run get another input, due time or priority. So a poison payload is repaired before its retry, and a waiting
// job is moved.
import type { UpdateJobsParams } from "../adapters/state-adapter-updates.ts";
import { requireTransaction } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import { limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { toPayloadText } from "../job-types/registry.ts";
import {
  assertElementCount,
  assertInteger,
  assertName,
  assertObject,
} from "../model/assert-option.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertSchedule, type ScheduleOptions } from "../model/schedule.ts";
import type { UpdateJobResult } from "../public-types/update.ts";

interface JobUpdate {
  readonly id: string;
  readonly typeName: string;
  readonly input?: unknown;
  readonly schedule?: ScheduleOptions | undefined;
  readonly priority?: number | undefined;
}

type Element = UpdateJobsParams<object, string>["jobs"][number];

const optionNames = ["id", "typeName", "input", "schedule", "priority"];

/** In the caller's transaction if a context is given, else by itself. */
export const updateJobs = async (
  engine: Engine,
  context: object | undefined,
  given: unknown,
): Promise<readonly UpdateJobResult[]> => {
  if (!Array.isArray(given)) throw new InvalidOptionError("jobs", given, "give an array");
  const jobs = given as readonly JobUpdate[]; // Each is checked below.
  assertElementCount(jobs, "jobs");
  const elements: Element[] = [];
  for (const job of jobs) elements.push(await toElement(engine, job));
  const ids = elements.map(({ id }) => id);
  if (new Set(ids).size < ids.length) {
    throw new InvalidOptionError("jobs", ids, "name each job once");
  }
  if (context === undefined) engine.nesting.assertOutside("updateJobs");
  else await requireTransaction(engine, context, "updateJobs");
  const types = await typesOf(engine, context, ids);
  const matching = elements.filter(({ id }, index) => types.get(id) === jobs[index]?.typeName);
  const results = await engine.state.updateJobs({ context, jobs: matching });
  const byId = new Map(matching.map(({ id }, index) => [id, results[index]]));
  const updated = results.flatMap((result) => (result.kind === "updated" ? [result.job] : []));
  const [first] = updated;
  if (first !== undefined) {
    const evidence = {
      ...{ operation: "updateJobs", jobId: first.id, jobCount: updated.length },
      isConfirmedBy: () => true,
    };
    engine.effects.record(context, evidence, (effects) => {
      // It may be due earlier than before.
      for (const { typeName, status } of updated) {
        if (status === "pending") effects.jobScheduled(typeName);
      }
    });
  }
  return ids.map((id): UpdateJobResult => {
    const result = byId.get(id);
    if (result?.kind === "updated") return { id, updated: true };
    const isOther = result === undefined && types.has(id);
    return { id, updated: false, reason: isOther ? "other_type" : (result?.reason ?? "not_found") };
  });
};

const toElement = async (engine: Engine, job: JobUpdate): Promise<Element> => {
  assertObject(job, "jobs");
  assertKnownOptions(job, optionNames, "jobs.");
  const { id, typeName, schedule, priority } = job;
  assertName(id, "jobs.id");
  assertName(typeName, "jobs.typeName");
  engine.registry.assertKnown(typeName);
  if (schedule !== undefined) assertSchedule(schedule);
  if (priority !== undefined) {
    assertInteger(priority, "priority", { min: -limits.priorityMax, max: limits.priorityMax });
  }
  const input = await toInput(engine, job);
  return {
    id,
    input,
    // Another input may belong to another key.
    limitKey: input === null ? undefined : engine.jobTypeLimits.keyOf(typeName, input),
    schedule: schedule ?? null,
    priority: priority ?? null,
    dueWithinMs: null,
  };
};

const toInput = async (engine: Engine, { typeName, input }: JobUpdate): Promise<string | null> =>
  input === undefined ? null : toPayloadText(engine, { typeName, part: "input" }, input);

/** The type of a job never changes. */
const typesOf = async (
  { state }: Engine,
  context: object | undefined,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map();
  const found = await state.getJobs({ context, ids });
  return new Map(found.flatMap((job) => (job === undefined ? [] : [[job.id, job.typeName]])));
};
