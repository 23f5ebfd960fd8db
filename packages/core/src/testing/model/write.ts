import type {
  JobCompletion,
  NewContinuationJob,
  NewEntryJob,
} from "../../adapters/state-adapter-params.ts";
import type { BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import type { ScheduleOptions } from "../../model/schedule.ts";
import type { StateJob } from "../../model/state-job.ts";
import { aContinuation, aJob, aKey } from "../factories.ts";
import { look } from "./look.ts";
import { keyedTypeName } from "./operations.ts";
import type { ModelCompletion, ModelJob, ModelSchedule, ModelWrite } from "./operations.ts";
import { jobAt, leaseOf, remember } from "./world.ts";
import type { ModelWorld } from "./world.ts";

type Context = BaseStateAdapterContext | undefined;

const past = new Date(Date.UTC(1_990, 0));
const far = new Date(Date.UTC(2_190, 0));

const toSchedule = (schedule: ModelSchedule | null): ScheduleOptions | null => {
  if (schedule === null || schedule === "now") return null;
  return { at: schedule === "past" ? past : far };
};

const toFields = (
  { limitName }: ModelWorld,
  { typeName, limitKey, cost, priority, schedule, onBlockerFailure, input }: ModelJob,
) => ({
  ...(limitName === null || limitKey === null
    ? { typeName }
    : { typeName: keyedTypeName, limitKey: { limitName, key: limitKey, cost } }),
  priority,
  onBlockerFailure,
  input,
  schedule: toSchedule(schedule),
});

const toEntry = (
  world: ModelWorld,
  job: ModelJob,
  under: StateJob | undefined,
  awaitsBlockers: boolean,
): NewEntryJob =>
  aJob({
    ...toFields(world, job),
    awaitsBlockers,
    rootSequenceId: under?.rootSequenceId ?? null,
    originId: under?.id ?? null,
    // One strategy per key: which of several sequences stands for a key is left open.
    ...(job.id === null
      ? {
          deduplication:
            job.key && aKey(job.key, { strategy: job.key === "ever" ? "all" : "completed" }),
        }
      : { id: world.freeIds[job.id] }),
  });

const toNext = (world: ModelWorld, of: StateJob, job: ModelJob): NewContinuationJob =>
  aContinuation(of, toFields(world, job));

/** Does one write, in a transaction or by itself, and returns the result of the store. */
export const write = async (
  world: ModelWorld,
  operation: ModelWrite,
  context: Context,
): Promise<unknown> => {
  switch (operation.kind) {
    case "create":
      return create(world, operation, context);
    case "createBlocked":
      return createBlocked(world, operation, context);
    case "complete":
      return complete(world, operation.completions, context);
    case "look":
      return look(world, operation, context);
    default:
      return writeToOne(world, operation, context);
  }
};

const create = async (
  world: ModelWorld,
  { jobs, under }: Extract<ModelWrite, { readonly kind: "create" }>,
  context: Context,
): Promise<unknown> => {
  const parent = under === null ? undefined : jobAt(world, under);
  const stillThere = parent && (await world.adapter.getJobs({ context, ids: [parent.id] }))[0];
  const created = await world.adapter.createJobs({
    context,
    jobs: jobs.map((job) => toEntry(world, job, stillThere, false)),
  });
  for (const { job } of created) remember(world, job);
  return created;
};

const createBlocked = async (
  world: ModelWorld,
  { job, blockers }: Extract<ModelWrite, { readonly kind: "createBlocked" }>,
  context: Context,
): Promise<unknown> => {
  const { adapter } = world;
  const blockerSequenceIds = blockers.flatMap((index) => jobAt(world, index)?.sequenceId ?? []);
  const inTransaction = async (tx: BaseStateAdapterContext): Promise<unknown> => {
    const jobs = [toEntry(world, { ...job, key: null, id: null }, undefined, true)];
    const [created] = await adapter.createJobs({ context: tx, jobs });
    if (created === undefined) return "nothing was created";
    remember(world, created.job);
    const added = [{ jobId: created.job.id, blockerSequenceIds }];
    return [created, await adapter.addBlockers({ context: tx, jobs: added })];
  };
  return context === undefined ? adapter.runInTransaction(inTransaction) : inTransaction(context);
};

const complete = async (
  world: ModelWorld,
  wanted: readonly ModelCompletion[],
  context: Context,
): Promise<unknown> => {
  const completions: JobCompletion[] = [];
  // One call belongs to a worker, or to no worker if `workerId` is null.
  const isWorkers = wanted[0]?.lease !== "none";
  for (const { job: index, lease, next } of wanted) {
    const job = jobAt(world, index);
    if (job === undefined || completions.some(({ jobId }) => jobId === job.id)) continue;
    const given = lease === "none" ? "current" : lease;
    const leaseVersion = await leaseOf(world, job.id, isWorkers ? given : "none", context);
    completions.push({
      jobId: job.id,
      leaseVersion,
      outcome:
        next === null
          ? { kind: "output", output: '{"ok":true}' }
          : { kind: "continuation", job: toNext(world, job, next) },
    });
  }
  const answer = await world.adapter.completeJobs({
    context,
    workerId: isWorkers ? "w" : null,
    completions,
  });
  for (const result of answer.results) {
    if (result.kind === "completed" && result.continuation !== null) {
      remember(world, result.continuation);
    }
  }
  return answer;
};

type OneJobWrite = Exclude<
  ModelWrite,
  { readonly kind: "create" | "createBlocked" | "complete" | "look" }
>;

const writeToOne = async (
  world: ModelWorld,
  operation: OneJobWrite,
  context: Context,
): Promise<unknown> => {
  if (operation.kind === "delete") return remove(world, operation.jobs, context);
  if (operation.kind === "cancel") return cancel(world, operation, context);
  const job = jobAt(world, operation.job);
  if (job === undefined) return "no job";
  const { adapter } = world;
  const ids = [job.id];
  switch (operation.kind) {
    case "retry":
      return adapter.retryFailedJobs({ context, ids });
    case "trigger":
      return adapter.triggerJobs({ context, ids });
    case "update":
      return update(world, operation, job, context);
    case "lock":
      return inTransactionOf(world, context, (tx) =>
        adapter.lockSequences({ context: tx, ids: [job.sequenceId] }),
      );
    case "deleteById":
      return inTransactionOf(world, context, (tx) =>
        adapter.deleteSequences({ context: tx, rootSequenceIds: ids }),
      );
    default:
      return settle(world, operation, job.id, context);
  }
};

const update = (
  { adapter, limitName }: ModelWorld,
  operation: Extract<OneJobWrite, { readonly kind: "update" }>,
  { id, typeName }: StateJob,
  context: Context,
): Promise<unknown> => {
  const { input, priority, limitKey: key } = operation;
  const isMoved = limitName !== null && key !== null && typeName === keyedTypeName;
  const limitKey = isMoved ? { limitKey: { limitName, key, cost: 1 } } : {};
  const schedule = toSchedule(operation.schedule);
  const jobs = [{ id, input, priority, schedule, dueWithinMs: null, ...limitKey }];
  return adapter.updateJobs({ context, jobs });
};

const settle = async (
  world: ModelWorld,
  operation: Extract<OneJobWrite, { readonly lease: unknown }>,
  jobId: string,
  context: Context,
): Promise<unknown> => {
  const leaseVersion = (await leaseOf(world, jobId, operation.lease, context)) ?? 0;
  if (operation.kind === "fail") {
    const jobs = [{ jobId, leaseVersion, error: "error: it failed" }];
    return world.adapter.failJobs({ context, jobs });
  }
  const { countsAttempt, error } = operation;
  const schedule = toSchedule(operation.schedule);
  const jobs = [{ jobId, leaseVersion, schedule, countsAttempt, error }];
  return world.adapter.rescheduleJobs({ context, jobs });
};

const remove = (world: ModelWorld, indexes: readonly number[], context: Context) => {
  const roots = indexes.flatMap((index) => jobAt(world, index)?.rootSequenceId ?? []);
  const rootSequenceIds = [...new Set(roots)];
  return inTransactionOf(world, context, (tx) =>
    world.adapter.deleteSequences({ context: tx, rootSequenceIds }),
  );
};

const cancel = async (
  { adapter, jobs }: ModelWorld,
  { jobs: indexes, tree, dependants }: Extract<ModelWrite, { readonly kind: "cancel" }>,
  context: Context,
): Promise<unknown> => {
  if (jobs.length === 0) return "no job";
  const ids = indexes.flatMap((index) => jobs[index % jobs.length]?.sequenceId ?? []);
  const result = await adapter.cancelSequences({
    ...{ context, tree, dependants, reason: '"by the model"' },
    sequences: ids.map((id) => ({ id, lease: null })),
  });
  if (result.kind === "blocking") return result;
  // Their order is left open.
  const cancelled = [...result.jobs].sort((left, right) => (left.id < right.id ? -1 : 1));
  return {
    ...result,
    jobs: cancelled.map(({ id }) => jobs.findIndex((job) => job.id === id)).sort(),
  };
};

const inTransactionOf = <T>(
  { adapter }: ModelWorld,
  context: Context,
  run: (tx: BaseStateAdapterContext) => Promise<T>,
): Promise<T> => (context === undefined ? adapter.runInTransaction(run) : run(context));
