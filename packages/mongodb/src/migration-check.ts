// Whether the store has been migrated, looked at before the first start and the first acquisition of an adapter. Without it
// the server would make what collections are missing by itself, and every acquisition would walk over all jobs.
import type { Repeat } from "./database.ts";
import { MongoNotMigratedError } from "./errors.ts";
import { findMissing, type Target } from "./migrate-to-latest.ts";
import { isUnauthorized } from "./named-errors.ts";

/** Rejects with QUEUERT_MONGODB_NOT_MIGRATED until nothing is missing; then it is not asked again. */
export const createMigrationCheck = (target: Target, repeat: Repeat): (() => Promise<void>) => {
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const missing = await repeat(() => findMissing(target));
      if (missing.length > 0) throw new MongoNotMigratedError(missing);
    } catch (error) {
      // Who may not look is believed.
      if (!isUnauthorized(error)) throw error;
    }
  };

  return () => {
    checking ??= check().catch((error: unknown) => {
      checking = undefined;
      throw error;
    });
    return checking;
  };
};
