// The connections to the store, as its server sees them: one or more of every live process, and
// zero of a closed one.
import { setTimeout as sleep } from "node:timers/promises";
import { groupBy } from "../checker/group-by.ts";
import type { Connected } from "../checker/history.ts";
import type { NamedProcess, OpenStore } from "../stores/store.ts";

/** A server takes a moment to notice that a process has gone. */
const goneWithinMs = 5_000;

/** A count that sees no live process would see no leak either. */
export const assertCounting = async (
  store: OpenStore,
  working: readonly NamedProcess[],
): Promise<void> => {
  const connected = await store.listConnected(working);
  if (connected === null) return;
  const unseen = working.filter(({ name }) => !connected.includes(name));
  if (unseen.length === working.length) throw new Error("No connection of any process is counted");
};

/** After all have closed, while they live. */
export const countLeft = async (
  store: OpenStore,
  closed: readonly NamedProcess[],
  now: () => number,
): Promise<readonly Connected[]> => {
  const until = now() + goneWithinMs;
  let left = (await store.listConnected(closed)) ?? [];
  while (left.length > 0 && now() < until) {
    await sleep(100);
    left = (await store.listConnected(closed)) ?? [];
  }
  return [...groupBy(left, (name) => name)].map(([process, own]) => ({
    ...{ kind: "connected", at: now(), process, count: own.length },
  }));
};
