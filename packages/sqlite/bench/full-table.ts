import { createJobIdGenerator } from "queuert/internal";
import type { BenchClient } from "./client.ts";
import { payloadText } from "./measure.ts";

const hourMs = 3_600_000;

/** Puts finished jobs into a file, and jobs that are due in an hour, half of them of a higher priority. */
export const fillTable = async (
  { stateProvider }: BenchClient,
  finishedCount: number,
  scheduledCount: number,
): Promise<void> => {
  const nextId = createJobIdGenerator();
  await stateProvider.runInTransaction(async ({ client }) => {
    const insert = client.prepare(`
INSERT INTO queuert_job (id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
  position, status, priority, scheduled_at, created_at, on_blocker_failure, input, output, finished_at, completed_by)
SELECT id, 'noop', id, 'noop', now, id, 0, status, priority, due, now, 'wait', input, output, finished, worker
FROM (SELECT ? AS id, ? AS now, ? AS status, ? AS priority, ? AS due, ? AS input, ? AS output, ? AS finished,
  ? AS worker)`);
    const now = Date.now();
    for (let index = 0; index < finishedCount; index++) {
      insert.run(nextId(), now, "completed", 0, now, payloadText, '{"ok":true}', now, "w");
    }
    for (let index = 0; index < scheduledCount; index++) {
      insert.run(nextId(), now, "pending", index % 2, now + hourMs, payloadText, null, null, null);
    }
  });
};
