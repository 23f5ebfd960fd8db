import { keyHoldersMax, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

type KeyRow = readonly [limitName: string, key: string, cost: number | null];

export const findKeys = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["findKeys"]> => {
  const { job } = database.names;
  const keyOf = `
SELECT limit_name, limit_key, limit_cost FROM ${job} WHERE id = ? AND limit_key IS NOT NULL`;
  const holdersOf = `
SELECT id FROM ${job}
WHERE status = 'running' AND limit_key IS NOT NULL AND limit_name = ? AND limit_key = ? AND leased_until > ?
LIMIT ${keyHoldersMax}`;

  return ({ ids }) =>
    database.read(undefined, (session) => {
      const now = session.now();
      return ids.map((id) => {
        const found = session.get<KeyRow>(keyOf, id);
        if (found === undefined) return undefined;
        const [limitName, key, cost] = found;
        const holders = session.all<[string]>(holdersOf, limitName, key, now).map(([one]) => one);
        return { limitName, key, cost: cost ?? 1, holders };
      });
    });
};
