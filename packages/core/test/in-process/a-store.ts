import { assembleStateAdapter } from "../../src/in-process/create-in-process-state-adapter.ts";
import { Database } from "../../src/in-process/database.ts";
import type { InProcessStateAdapter } from "../../src/in-process/database.ts";

/** A store whose time stands still until a test moves it, and whose ids are `job-1`, `job-2`, … */
export interface TestStore {
  readonly state: InProcessStateAdapter;
  readonly database: Database;
  readonly clock: { ms: number; now(): number };
  readonly ids: { last: number };
}

export const aStore = (): TestStore => {
  const clock = {
    ms: Date.UTC(2030, 0, 1),
    now: (): number => clock.ms,
  };
  const ids = { last: 0 };
  const database = new Database(clock, () => `job-${++ids.last}`);
  return { state: assembleStateAdapter(database), database, clock, ids };
};
