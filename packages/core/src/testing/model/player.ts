// Plays operations on one store and returns their results, in comparable form. The oracle and the
// store under test each have a player. If both are right, their results are equal.
import type { AcquiredJob } from "../../adapters/state-adapter-params.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { createStateSteps } from "../steps.ts";
import { sleep } from "../waiting.ts";
import { normalise } from "./normalise.ts";
import { boundKey, boundKeys, lookAtKeys } from "./limit-keys.ts";
import { keyedTypeName, type ModelOperation } from "./operations.ts";
import { look, lookAtEverything } from "./look.ts";
import { jobAt, leaseOf } from "./world.ts";
import type { ModelWorld } from "./world.ts";
import { write } from "./write.ts";
import { jobs, minuteMs } from "../factories.ts";

export interface ModelPlayer {
  play(operation: ModelOperation): Promise<unknown>;
  /** Everything there is, at the end. */
  lookAtEverything(): Promise<unknown>;
}

const freeIdCount = 2;
const rollBack = new Error("rolled back by the model");

// Longer than a millisecond: two operations that make something due "now" are never due at the same time.
const apartMs = 2;

export interface ModelPlayerOptions {
  /** Which errors of a transaction mean "run it again", as a user would. */
  readonly isTransactionConflict?: ((error: unknown) => boolean) | undefined;
  /** Of its own for each run. Left out or null: no job stands under a key. */
  readonly limitName?: string | null | undefined;
}

export const createModelPlayer = (
  adapter: AnyStateAdapter,
  { isTransactionConflict = () => false, limitName = null }: ModelPlayerOptions = {},
): ModelPlayer => {
  const world: ModelWorld = { adapter, jobs: [], ids: new Map(), freeIds: [], limitName };
  return {
    play: async (operation) => {
      if (world.freeIds.length === 0) await findFreeIds(world);
      return normalise(await play(world, operation, isTransactionConflict), world.ids);
    },
    lookAtEverything: async () =>
      normalise([await lookAtEverything(world), await lookAtKeys(world)], world.ids),
  };
};

/** Ids in the form of the store: those of starts that are rolled back. */
const findFreeIds = async ({ adapter, freeIds }: ModelWorld): Promise<void> => {
  const starting = adapter.runInTransaction(async (context) => {
    const created = await adapter.createJobs({ context, jobs: jobs(freeIdCount) });
    freeIds.splice(0, freeIds.length, ...created.map(({ job }) => job.id));
    throw rollBack;
  });
  await starting.catch((error: unknown) => {
    if (error !== rollBack) throw error;
  });
};

const play = async (
  world: ModelWorld,
  operation: ModelOperation,
  isTransactionConflict: (error: unknown) => boolean,
): Promise<unknown> => {
  switch (operation.kind) {
    case "acquire":
      return acquire(world, operation, minuteMs);
    case "boundKeys":
      return boundKeys(world, operation);
    case "boundKey":
      return boundKey(world, operation);
    case "renew":
      return renew(world, operation);
    case "loseLease":
      return loseLease(world, operation);
    case "transaction":
      return playTransaction(world, operation, isTransactionConflict);
    case "look":
      return look(world, operation, undefined);
    default:
      await sleep(apartMs);
      return write(world, operation, undefined);
  }
};

type Acquire = Extract<ModelOperation, { readonly kind: "acquire" }>;

/** More than a list of operations can start. */
const everyJob = 500;

const acquire = async (
  { adapter, ids }: ModelWorld,
  { typeName, limit, minSize = null }: Pick<Acquire, "typeName" | "limit"> & Partial<Acquire>,
  leaseMs: number,
) => {
  if (typeName === keyedTypeName) {
    const types = [{ typeName, limit: everyJob, leaseMs }];
    const taken = await adapter.acquireJobs({ workerId: "w", limit: everyJob, types });
    const placeOf = ({ job }: AcquiredJob): number => ids.get(job.id) ?? -1;
    return { jobs: taken.jobs.toSorted((one, other) => placeOf(one) - placeOf(other)) };
  }
  const batch = minSize === null ? {} : { batch: { minSize, maxWaitMs: 10 * minuteMs } };
  const types = [{ typeName, limit, leaseMs, ...batch }];
  const { jobs, nextDueInMs } = await adapter.acquireJobs({ workerId: "w", limit, types });
  // Exact only where fewer than the limit were returned.
  return { jobs, nextDueInMs: jobs.length < limit ? nextDueInMs : "any" };
};

const renew = async (
  world: ModelWorld,
  operation: Extract<ModelOperation, { readonly kind: "renew" }>,
): Promise<unknown> => {
  const job = jobAt(world, operation.job);
  if (job === undefined) return "no job";
  const leaseVersion = await leaseOf(world, job.id, operation.lease, undefined);
  const leases = [{ jobId: job.id, leaseVersion: leaseVersion ?? 0, leaseMs: 2 * minuteMs }];
  return world.adapter.renewLeases({ leases });
};

const loseLease = async (
  world: ModelWorld,
  operation: Extract<ModelOperation, { readonly kind: "loseLease" }>,
): Promise<unknown> => {
  const { adapter } = world;
  const { typeName } = operation;
  const lost = await acquire(world, { typeName, limit: 1 }, 1);
  const [acquired] = lost.jobs;
  if (acquired === undefined) return lost;
  const steps = createStateSteps(adapter);
  for (const { job } of lost.jobs) await steps.untilExpired(job);
  if (operation.how === "complete")
    return [lost, await steps.complete(acquired.job, '"late"', "w")];
  if (operation.how === "acquire") {
    return [
      lost,
      await acquire(world, { typeName, limit: 1 }, minuteMs),
      await reclaimAll(adapter),
    ];
  }
  return [lost, await reclaimAll(adapter)];
};

const reclaimAll = (adapter: AnyStateAdapter) => adapter.reclaimExpiredLeases({ limit: 100 });

type Transaction = Extract<ModelOperation, { readonly kind: "transaction" }>;

// Alone on its store, a transaction can only conflict with the remains of its first try, and only
// once.
const conflictsMax = 3;

const playTransaction = async (
  world: ModelWorld,
  operation: Transaction,
  isTransactionConflict: (error: unknown) => boolean,
): Promise<unknown> => {
  const before = world.jobs.length;
  const forget = (): void => {
    for (const { id } of world.jobs.splice(before)) world.ids.delete(id);
  };
  await sleep(apartMs);
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      const answers = await tryTransaction(world, operation);
      if (!operation.commits) forget();
      return answers;
    } catch (error) {
      if (!isTransactionConflict(error) || conflicts >= conflictsMax) throw error;
      forget();
    }
  }
};

const tryTransaction = async (
  world: ModelWorld,
  { writes, commits }: Transaction,
): Promise<unknown> => {
  const answers: unknown[] = [];
  const transaction = world.adapter.runInTransaction(async (context) => {
    for (const operation of writes) {
      await sleep(apartMs);
      // Ids of rolled-back jobs are forgotten, so the result is made comparable here.
      answers.push(normalise(await write(world, operation, context), world.ids));
    }
    if (!commits) throw rollBack;
  });
  await transaction.catch((error: unknown) => {
    if (error !== rollBack) throw error;
  });
  return answers;
};
