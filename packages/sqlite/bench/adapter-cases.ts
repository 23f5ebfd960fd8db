// The adapter by itself, without the engine above it: the difference between these cases and the whole belongs to core.
import type { NewEntryJob } from "queuert/internal";
import type { BenchClient } from "./client.ts";
import { payloadText, rateAsync } from "./measure.ts";

const job: NewEntryJob = {
  kind: "entry",
  typeName: "noop",
  input: payloadText,
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
};

export const adapterStart = (
  { stateAdapter }: BenchClient,
  count: number,
  atOnce: number,
): Promise<number> => {
  const jobs = Array.from({ length: atOnce }, () => job);
  return rateAsync(count, async () => {
    for (let done = 0; done < count; done += atOnce) {
      await stateAdapter.runInTransaction((context) => stateAdapter.createJobs({ context, jobs }));
    }
  });
};

const outcome = { kind: "output", output: '{"ok":true}' } as const;
const workerId = "w";
const types = [{ typeName: "noop", leaseMs: 30_000, limit: 100 }];

/** Acquires 100 and completes 100: by value all at once, by callback each in a transaction that writes a row. */
export const adapterDrain = (
  { stateAdapter }: BenchClient,
  count: number,
  settle: "value" | "callback",
): Promise<number> =>
  rateAsync(count, async () => {
    for (let done = 0; done < count;) {
      const { jobs } = await stateAdapter.acquireJobs({ workerId, limit: 100, types });
      const completions = jobs.map(({ job: { id, leaseVersion } }) => ({
        jobId: id,
        leaseVersion,
        outcome,
      }));
      done += jobs.length;
      if (settle === "value") {
        await stateAdapter.completeJobs({ workerId, completions });
        continue;
      }
      for (const completion of completions) {
        await stateAdapter.runInTransaction(async (context) => {
          context.client.prepare("INSERT INTO user_row (text) VALUES (?)").run("done");
          await stateAdapter.completeJobs({ context, workerId, completions: [completion] });
        });
      }
    }
  });
