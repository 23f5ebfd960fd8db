// A small application on the adapter, without the engine. Orders are stored together with the job that ships
// them. Shipping continues to an invoice, and every fifth order waits for two others. At the end `findings`
// reports lost and doubled work.
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { createJobIdGenerator, type StateJob } from "queuert/internal";
import { aContinuation, aJob } from "queuert/testing";
import {
  createMongoStateAdapter,
  isTransientMongoError,
  type MongoStateAdapter,
} from "../src/index.ts";
import {
  createMongodbProvider,
  type MongoContext,
  type MongoTxContext,
} from "../src/providers/mongodb.ts";

export interface Workload {
  readonly client: MongoClient;
  readonly adapter: MongoStateAdapter<MongoTxContext, MongoContext>;
  /** Starts orders one after the other until it is stopped. Returns the number of acknowledged ones. */
  produce(isOver: () => boolean): Promise<number>;
  /** Acquires and completes jobs until it is stopped. */
  work(workerId: string, isOver: () => boolean): Promise<void>;
  /** Descriptions of lost and doubled work. Empty if all is well. */
  findings(): Promise<readonly string[]>;
  /** How many jobs have not been completed. */
  countLeft(): Promise<number>;
  close(): Promise<void>;
}

/** The phases of a worker, in order. */
export const phases = ["acquired", "written", "completed", "committed"] as const;
export type Phase = (typeof phases)[number];

export interface WorkloadOptions {
  /** Called when a worker reaches a phase. The worker goes on when it resolves. */
  readonly onPhase?: ((phase: Phase) => Promise<void>) | undefined;
}

const ordersMin = 6;
const leaseMs = 1_500;
const types = [
  { typeName: "ship", leaseMs, limit: 20 },
  { typeName: "invoice", leaseMs, limit: 20 },
];

export const openWorkload = async (
  url: string,
  name: string,
  { onPhase = () => Promise.resolve() }: WorkloadOptions = {},
): Promise<Workload> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  // The driver can miss that its socket was closed. The default timeout of a minute is too long for tests.
  const adapter = await createMongoStateAdapter({ stateProvider, answerTimeoutMs: 5_000 });
  await adapter.migrateToLatest();
  const orders = client.db(name).collection<{ _id: string; jobId: string }>("orders");
  const effects = client.db(name).collection<{ _id: string }>("effects");
  const jobs = client
    .db(name)
    .collection<{ _id: string; status: string; continuedToId?: string }>("queuert_jobs");
  const startOrder = createStartOrder(adapter, orders);

  const produce: Workload["produce"] = async (isOver) => {
    let known: string[] = [];
    let count = 0;
    // On a busy machine the faults may be over before much was started: some orders must be there.
    while (!isOver() || count < ordersMin) {
      const awaited = count % 5 === 4 ? known.slice(-2) : [];
      const id = await startOrder(awaited).catch(tolerate);
      if (id === undefined) continue;
      known = [...known.slice(-4), id];
      count++;
    }
    return count;
  };

  // Every second job by value, the others in a transaction with a write that cannot be stored twice.
  const settle = async (workerId: string, batch: readonly StateJob[]): Promise<void> => {
    const byValue = batch.filter(({ ordinal }) => ordinal % 2 === 0);
    await adapter.completeJobs({ workerId, completions: byValue.map(toCompletion) });
    for (const job of batch.filter(({ ordinal }) => ordinal % 2 === 1)) {
      await adapter.runInTransaction(async (context) => {
        await effects.insertOne({ _id: `${job.id}` }, { session: context.session });
        await onPhase("written");
        const completions = [toCompletion(job)];
        const { results } = await adapter.completeJobs({ context, workerId, completions });
        // The lease is lost: the write of this transaction must not stay.
        if (results[0]?.kind !== "completed") throw new LostError();
        await onPhase("completed");
      });
      await onPhase("committed");
    }
  };

  const work: Workload["work"] = async (workerId, isOver) => {
    while (!isOver()) {
      const acquired = await adapter.acquireJobs({ workerId, limit: 10, types }).catch(tolerate);
      const batch = acquired?.jobs.map(({ job }) => job) ?? [];
      if (batch.length > 0) await onPhase("acquired");
      if (batch.length === 0) await sleep(20);
      else await settle(workerId, batch).catch(tolerate);
      if (Math.random() < 0.1) await adapter.reclaimExpiredLeases({ limit: 100 }).catch(tolerate);
    }
  };

  return {
    client,
    adapter,
    produce,
    work,
    countLeft: () => jobs.countDocuments({ status: { $ne: "completed" } }),
    findings: async () => findFaults(orders, effects, jobs),
    close: () => client.close(),
  };
};

interface Orders {
  insertOne(
    order: { readonly _id: string; readonly jobId: string },
    options: object,
  ): Promise<unknown>;
}

/** Stores an order and the job that ships it in one transaction. Returns the job's id. */
const createStartOrder = (
  adapter: Workload["adapter"],
  orders: Orders,
): ((awaited: readonly string[]) => Promise<string>) => {
  const newOrderId = createJobIdGenerator();

  return async (awaited) => {
    const orderId = newOrderId();
    return adapter.runInTransaction(async (context) => {
      const awaitsBlockers = awaited.length > 0;
      const newJobs = [aJob({ typeName: "ship", awaitsBlockers })];
      const [created] = await adapter.createJobs({ context, jobs: newJobs });
      if (created === undefined) throw new Error("createJobs answered nothing");
      const jobId = created.job.id;
      const { session } = context;
      await orders.insertOne({ _id: orderId, jobId }, { session });
      if (awaitsBlockers) {
        await adapter.addBlockers({ context, jobs: [{ jobId, blockerSequenceIds: awaited }] });
      }
      return jobId;
    });
  };
};

class LostError extends Error {}

const tolerate = (error: unknown): undefined => {
  // A duplicate is the effect of an earlier attempt whose reply was lost.
  const isDuplicate = error instanceof Error && "code" in error && error.code === 11_000;
  const isCommitUnknown = error instanceof Error && error.name === "MongoCommitUnknownError";
  if (error instanceof LostError || isDuplicate || isCommitUnknown) return undefined;
  if (isTransientMongoError(error)) return undefined;
  throw error;
};

const toCompletion = (job: StateJob) => ({
  jobId: job.id,
  leaseVersion: job.leaseVersion,
  outcome:
    job.typeName === "ship"
      ? ({ kind: "continuation", job: aContinuation(job, { typeName: "invoice" }) } as const)
      : ({ kind: "output", output: '"paid"' } as const),
});

interface Found {
  find(filter: object): { toArray(): Promise<readonly Readonly<Record<string, unknown>>[]> };
}

const findFaults = async (orders: Found, effects: Found, jobs: Found): Promise<string[]> => {
  const stored = await jobs.find({}).toArray();
  const byId = new Map(stored.map((job) => [job["_id"], job]));
  const continuedBy = new Map<unknown, number>();
  for (const job of stored) {
    if (job["position"] !== 1) continue;
    continuedBy.set(job["sequenceId"], (continuedBy.get(job["sequenceId"]) ?? 0) + 1);
  }
  const faults: string[] = [];
  for (const { _id, jobId } of await orders.find({}).toArray()) {
    const job = byId.get(jobId);
    if (job === undefined) faults.push(`order ${String(_id)} has no job`);
    if (continuedBy.get(jobId) !== 1) {
      faults.push(`job ${String(jobId)} continued ${continuedBy.get(jobId) ?? 0} times`);
    }
  }
  const starts = stored.filter((job) => job["position"] === 0).length;
  const orderCount = (await orders.find({}).toArray()).length;
  if (starts !== orderCount) faults.push(`${starts} sequences for ${orderCount} orders`);
  const done = new Set((await effects.find({}).toArray()).map(({ _id }) => _id));
  for (const job of stored) {
    if (job["status"] !== "completed")
      faults.push(`job ${String(job["_id"])} is ${String(job["status"])}`);
    const isOdd = Number(job["ordinal"]) % 2 === 1;
    if (isOdd !== done.has(job["_id"]))
      faults.push(`job ${String(job["_id"])}: effect does not fit`);
  }
  return faults;
};
