// Jobs that were due before something let them start: idle workers are notified of them.
import type { Engine } from "../engine.ts";

/** How many jobs of each type are in a status. */
export const countByType = async (
  { state }: Pick<Engine, "state">,
  status: "pending" | "running",
): Promise<ReadonlyMap<string, number>> => {
  const { counts } = await state.summarize({ runningLongMs: 0 });
  return new Map(
    counts.flatMap((one) => (one.status === status ? [[one.typeName, one.count] as const] : [])),
  );
};

/** `typeNames`: null for every type. If the store does not answer, polling finds the jobs. */
export const notifyWaiting = async (
  { state, effects }: Engine,
  typeNames: readonly string[] | null,
): Promise<void> => {
  const waiting = await countByType({ state }, "pending").catch(() => null);
  const buffer = effects.create();
  for (const typeName of typeNames ?? waiting?.keys() ?? []) {
    buffer.jobScheduled(typeName, waiting?.get(typeName) ?? 1);
  }
  buffer.flush();
};
