// The same statements as floor-postgres, as few of them as a queue could send. By callback it acquires many jobs at once, and
// sends BEGIN, write, complete, COMMIT for each. A start is one INSERT, which commits by itself.
import type { Participant } from "../participant.ts";
import { openFloor, participant as plain } from "./postgres.ts";
import { workPerBatch } from "./postgres-work.ts";
import { insertAlone } from "./postgres-start.ts";

export const participant: Participant = {
  ...plain,
  settings:
    "as floor-postgres; by callback it acquires as many as run at a time, then a transaction for each; a start is a bare INSERT",
  open: async (target) => {
    const { pool, nextId, opened } = await openFloor(target);
    return {
      ...opened,
      startOne: (payload) => insertAlone(pool, nextId(), payload),
      work: (options) =>
        options.workload === "callback" ? workPerBatch(pool, options) : opened.work(options),
    };
  },
};
