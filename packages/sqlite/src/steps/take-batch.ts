// The jobs of one key, as a batch of their own.
import type { BatchCondition } from "queuert/internal";
import type { ReadLine } from "./read-line.ts";
import { overallGates, type TakeTurn, type Taking } from "./take-turn.ts";
import type { Turn } from "./write-place.ts";

type TakeBatch = (
  taking: Taking,
  [typeName, limitName]: readonly [typeName: string, limitName: string],
  turn: Turn & { readonly batch: BatchCondition },
) => number;

interface Parts {
  readonly readLine: ReadLine;
  readonly takeTurn: TakeTurn;
}

/** Keys that are read at once. */
const keysAtOnce = 50;

/** The first batch of a key that is ripe. Keys that can start none leave the line, unless the limit itself is closed. */
export const createTakeBatch =
  ({ readLine, takeTurn }: Parts): TakeBatch =>
  (taking, [typeName, limitName], turn) => {
    const { session, rooms, now } = taking;
    const overall = overallGates(rooms, typeName, limitName);
    const looked = new Set<string | undefined>();
    for (;;) {
      const keys = readLine(session, [typeName, limitName], looked.size + keysAtOnce, now);
      const fresh = keys.filter(({ stored }) => !looked.has(stored.key));
      if (fresh.length === 0) return 0;
      for (const key of fresh) {
        if (rooms.slots <= 0 || !overall.every((gate) => gate.admits(1))) return 0;
        looked.add(key.stored.key);
        const count = takeTurn(taking, key, turn);
        if (count > 0) return count;
      }
    }
  };
