// The order of creation over the whole store, and the store's clock with it. One counter document is raised
// by the size of a batch, outside any transaction, so that creators never conflict on it. A batch that is
// rolled back leaves a gap.
//
// Within a process, calls get their numbers in order. Between processes, a call that starts after
// another has returned gets greater numbers.
//
// The raise does not wait for a majority, which would double the time of a start. The insert that follows
// does, and a majority that has the insert has all earlier writes. If a failover comes between the two,
// numbers may be given out again. Jobs of that instant then share a place in the order, and nothing else.
import type { StoreCollection } from "./store.ts";

export interface CounterDocument {
  readonly _id: string;
  readonly value: number;
  readonly at: Date;
}

export interface OrdinalRange {
  readonly first: number;
  /** The store's clock when the range was taken. */
  readonly now: Date;
}

export interface Ordinals {
  take(count: number): Promise<OrdinalRange>;
}

interface Waiting {
  readonly count: number;
  readonly resolve: (range: OrdinalRange) => void;
  readonly reject: (error: unknown) => void;
}

export const counterId = "ordinal";

/** Calls during a raise share the next one: a busy process pays one command for many batches. */
export const createOrdinals = (
  counters: StoreCollection<CounterDocument>,
  repeat: <T>(run: () => Promise<T>) => Promise<T>,
): Ordinals => {
  let waiting: Waiting[] = [];
  let flying = false;

  // A raise whose reply was lost leaves a gap.
  const raise = (count: number): Promise<CounterDocument | null> =>
    repeat(() =>
      counters.upsertUnrecorded(counterId, [
        { $set: { value: { $add: [{ $ifNull: ["$value", 0] }, count] }, at: "$$NOW" } },
      ]),
    );

  const fly = async (): Promise<void> => {
    flying = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const total = group.reduce((sum, { count }) => sum + count, 0);
      try {
        const counter = await raise(total);
        if (counter === null) throw new Error("The upsert of the counter returned no document");
        let first = counter.value - total + 1;
        for (const { count, resolve } of group) {
          resolve({ first, now: counter.at });
          first += count;
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    flying = false;
  };

  return {
    take: (count) =>
      new Promise((resolve, reject) => {
        waiting.push({ count, resolve, reject });
        if (!flying) void fly();
      }),
  };
};
