import type { StateTick } from "../../adapters/state-adapter-schedules.ts";
import type { Database, InProcessMethod } from "../database.ts";
import { toTickId } from "../schedule-tables.ts";
import type { Store } from "../store.ts";

export const recordTicks =
  (database: Database): InProcessMethod<"recordTicks"> =>
  async ({ context, ticks }) =>
    database.writeInTransaction(context, "recordTicks", (store) =>
      ticks.map((tick) => record(store, tick)),
    );

const record = ({ scheduling }: Store, tick: StateTick): boolean => {
  const id = toTickId(tick);
  const outcome = scheduling.ticks.get(id)?.outcome;
  const isOpen = outcome === undefined || outcome === "missed" || outcome === "buffered";
  if (isOpen) scheduling.ticks.put(id, { ...tick });
  return isOpen;
};
