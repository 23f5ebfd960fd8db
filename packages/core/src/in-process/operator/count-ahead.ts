import type { JobsAhead } from "../../adapters/operator-reads.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";
import { keyId } from "../key-id.ts";
import type { Store } from "../store.ts";
import type { StoredJob } from "../stored-job.ts";

export const countAhead =
  (database: Database): InProcessOperatorMethod<"countAhead"> =>
  async ({ ids, max }) =>
    database.read(undefined, "countAhead", (store) =>
      ids.map((id) => aheadOf(store, store.byId.get(id), max, database.now())),
    );

const aheadOf = (
  store: Store,
  stored: StoredJob | undefined,
  max: number,
  now: number,
): JobsAhead | undefined => {
  if (stored?.committed?.status !== "pending") return undefined;
  let ahead = 0;
  let higherPriority = 0;
  for (const other of store.jobs.walk("asc", null)) {
    if (
      other.queue !== stored.queue ||
      !isOfSameKey(other, stored) ||
      !isDue(other, now) ||
      !comesBefore(other, stored)
    )
      continue;
    if (ahead === max) return { ahead, higherPriority, isAtLeast: true };
    ahead++;
    if (priorityOf(other) > priorityOf(stored)) higherPriority++;
  }
  return { ahead, higherPriority, isAtLeast: false };
};

const isOfSameKey = ({ committed: one }: StoredJob, { committed: other }: StoredJob): boolean => {
  const [left = null, right = null] = [one?.limitKey, other?.limitKey];
  return left === null || right === null ? left === right : keyId(left) === keyId(right);
};

export const isDue = ({ committed }: StoredJob, now: number): boolean =>
  committed?.status === "pending" && committed.scheduledAt <= now;

const priorityOf = ({ committed }: StoredJob): number => committed?.priority ?? 0;

/** In the order of acquisition. */
export const comesBefore = (left: StoredJob, right: StoredJob): boolean => {
  const [first, second] = [priorityOf(left), priorityOf(right)];
  if (first !== second) return first > second;
  const difference = (left.committed?.scheduledAt ?? 0) - (right.committed?.scheduledAt ?? 0);
  return difference === 0 ? left.ordinal < right.ordinal : difference < 0;
};
