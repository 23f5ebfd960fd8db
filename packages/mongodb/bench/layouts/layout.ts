// A layout of the store as commands of the driver alone: no spans, no payload checks. Only the collections differ.
import type { ClientSession, MongoClient } from "mongodb";
import { createJobIdGenerator } from "queuert/internal";

/** A job as an acquisition returns it, and where its lease is. */
export interface HeldJob {
  readonly _id: string;
  readonly leaseVersion: number;
  readonly leaseId: string;
}

export interface Layout {
  /** Drops the indexes that the layout does not use, and creates its own. The collections of the adapter are there, and empty. */
  readonly prepare: () => Promise<void>;
  readonly start: (count: number) => Promise<void>;
  readonly acquire: (limit: number) => Promise<readonly HeldJob[]>;
  readonly complete: (jobs: readonly HeldJob[]) => Promise<void>;
  /** In the transaction of a callback. */
  readonly completeOne: (session: ClientSession, job: HeldJob) => Promise<void>;
}

export type OpenLayout = (client: MongoClient, databaseName: string) => Layout;

export const typeName = "noop";
export const workerId = "018f3a5e-0000-7000-8000-000000000001";
export const leaseMs = 30_000;
export const output = '{"ok":true}';
export const nextId: () => string = createJobIdGenerator();
export const input: string = JSON.stringify({ at: 0, text: "x".repeat(70) });

/** Runs commands in a transaction of their own. */
export const transact = async <T>(
  client: MongoClient,
  run: (session: ClientSession) => Promise<T>,
): Promise<T> => {
  const session = client.startSession();
  try {
    session.startTransaction({
      readConcern: { level: "snapshot" },
      writeConcern: { w: "majority" },
    });
    const result = await run(session);
    await session.commitTransaction();
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  } finally {
    await session.endSession();
  }
};

export interface JobDocument {
  readonly _id: string;
  readonly typeName: string;
  readonly position: number;
  readonly ordinal: number;
  readonly status: string;
  readonly input: string;
  readonly priority?: number;
  readonly scheduledAt: Date;
  readonly createdAt: Date;
  readonly attempt: number;
  readonly leaseVersion: number;
}

let ordinal = 0;

export const newJob = (status: string, now: Date): JobDocument => ({
  ...{ _id: nextId(), typeName, position: 0, ordinal: ++ordinal, status, input },
  ...{ priority: 0, scheduledAt: now, createdAt: now, attempt: 0, leaseVersion: 0 },
});
