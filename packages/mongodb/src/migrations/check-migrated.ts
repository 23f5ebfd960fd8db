// Whether the store is migrated and writable, checked before the first start and the first acquisition of an
// adapter. Otherwise the server would create missing collections by itself, and every acquisition would read
// all jobs. A worker whose user may only read would be idle until the first job is due.
import type { Repeat } from "../database.ts";
import { isUnauthorized } from "../driver-errors.ts";
import { toConnectionError } from "../named-errors.ts";
import { MongoNotMigratedError } from "../errors.ts";
import { assertWritable, findMissing, type Target } from "./migrate.ts";

/** Rejects with QUEUERT_MONGODB_NOT_MIGRATED until nothing is missing. After that it queries no more. */
export const createMigrationCheck = (target: Target, repeat: Repeat): (() => Promise<void>) => {
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const missing = await repeat(() => findMissing(target));
      if (missing.length > 0) throw new MongoNotMigratedError(missing);
    } catch (error) {
      // A user without the right to list indexes is trusted.
      if (!isUnauthorized(error)) throw toConnectionError(error);
    }
    await repeat(() => assertWritable(target));
  };

  return () => {
    checking ??= check().catch((error: unknown) => {
      checking = undefined;
      throw error;
    });
    return checking;
  };
};
