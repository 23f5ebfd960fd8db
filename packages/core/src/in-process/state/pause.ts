// Types whose jobs are not acquired for a while. An acquisition reads them in its own statement.
import type { Database, InProcessMethod } from "../database.ts";
import { after } from "../instants.ts";

export const pause =
  (database: Database): InProcessMethod<"pause"> =>
  async ({ targets, forMs, note, extends: isExtension = false }) =>
    targets.length === 0
      ? undefined
      : database.write(undefined, "pause", ({ now, pauses }) => {
          const until = forMs === null ? null : after(now, forMs);
          for (const { typeName } of targets) {
            const before = pauses.get(typeName);
            const isLater =
              before !== undefined && (before.until ?? Infinity) >= (until ?? Infinity);
            if (isExtension && isLater) continue;
            pauses.set(typeName, { pausedAt: now, until, note });
          }
        });
