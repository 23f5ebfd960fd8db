import {
  isDeclarationNews,
  type StateAdapter,
  type StateBounds,
  unbounded,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { createReadLimits } from "../steps/read-limits.ts";
import { createLookAgain } from "../steps/wake-keys.ts";

export const setLimits = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["setLimits"] => {
  const readLimits = createReadLimits(database.names);
  const write = `
INSERT INTO ${database.names.jobLimit} (name, bounds, is_bounded, orders_jobs, declared_hash, revision, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET
  bounds = excluded.bounds, is_bounded = excluded.is_bounded, orders_jobs = excluded.orders_jobs, declared_hash = excluded.declared_hash,
  revision = excluded.revision, updated_at = excluded.updated_at`;

  // Keys that were full may have room now.
  const lookAgain = createLookAgain(database.names);

  return async ({ limits }) =>
    limits.length === 0
      ? []
      : database.write("setLimits", undefined, (session) =>
          limits.map(({ name, declaration, ...limit }) => {
            const { concurrency, rate, perKey = unbounded, agingMs = null } = limit;
            const [stored] = readLimits(session, { name });
            const before = stored?.declaration ?? null;
            if (!isDeclarationNews(declaration, before)) return false;
            const { hash, revision } = declaration ?? before ?? { hash: null, revision: null };
            const bounds = JSON.stringify({ concurrency, rate, perKey, agingMs });
            const flags = [hasBounds(limit) ? 1 : 0, hasBounds(perKey) || agingMs !== null ? 1 : 0];
            session.run(write, name, bounds, ...flags, hash, revision, session.now());
            lookAgain(session, name);
            return true;
          }),
        );
};

const hasBounds = ({ concurrency, rate }: StateBounds): boolean =>
  concurrency !== null || rate !== null;
