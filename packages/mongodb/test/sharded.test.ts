// On a real sharded cluster, with collections sharded as in the README. The methods that differ on shards, the
// races, and transactions whose commit has reached one of two shards.
import { startMongodbSharded, type MongodbShardedService } from "@queuert/test-services";
import { type Collection, MongoClient } from "mongodb";
import type { JobCompletion, StateJob } from "queuert/internal";
import {
  createStateSteps,
  describeStateSuites,
  extendWithCommon,
  extendWithState,
  jobs,
  stateRacesTestSuite,
  stateSuites,
  within,
} from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStateMongodb } from "../src/testing.ts";

const timeoutMs = 120_000;
let service: MongodbShardedService;

beforeAll(async () => {
  service = await startMongodbSharded();
}, timeoutMs);
afterAll(async () => {
  await service.close();
});

const createDatabase = async (): Promise<{ readonly url: string; readonly name: string }> => {
  const { url, name } = await service.createDatabase();
  const names = ["queuert_jobs", "queuert_deduplication_keys", "queuert_waits"];
  for (const each of names) await service.shard(name, each, { _id: "hashed" });
  return { url, name };
};

const extended = extendWithState(extendWithCommon(it), async () => {
  const { url, name } = await createDatabase();
  return openStateMongodb({ url, databaseName: name });
});

const { addBlockers, deleteSequences, listSequences, retryFailedJobs, summarize } = stateSuites;
const methods = [addBlockers, deleteSequences, listSequences, retryFailedJobs, summarize];
describeStateSuites([...methods.flat(), ...stateSuites.completeJobs], { it: extended });
stateRacesTestSuite({ it: extended });

interface Stored {
  readonly _id: string;
  readonly status: string;
}

const toCompletion = ({ id, leaseVersion }: StateJob): JobCompletion => ({
  ...{ jobId: id, leaseVersion },
  outcome: { kind: "output", output: "1" },
});

describe("a commit that has reached one shard only", () => {
  // Enough that both shards have some.
  const count = 24;
  const heldMs = 2_000;

  /** Holds commits back on the second shard. */
  const setHeld = async (isHeld: boolean): Promise<void> => {
    await using second = await new MongoClient(service.shardUrls[1] ?? "").connect();
    const data = {
      ...{ failCommands: ["commitTransaction"], failInternalCommands: true },
      ...{ blockConnection: true, blockTimeMS: heldMs },
    };
    const mode = isHeld ? { mode: "alwaysOn", data } : { mode: "off" };
    await second.db("admin").command({ configureFailPoint: "failCommand", ...mode });
  };

  /** Completes jobs in one transaction. Calls back as soon as one half of them is visibly completed. */
  const completeByHalves = async <T>(
    isMarked: boolean,
    meanwhile: (half: Half) => Promise<T>,
  ): Promise<T> => {
    const { url, name } = await createDatabase();
    const harness = await openStateMongodb({ url, databaseName: name });
    await using client = await new MongoClient(url).connect();
    const steps = createStateSteps(harness.stateAdapter);
    await harness.stateAdapter.createJobs({ jobs: jobs(count, { typeName: "blocker" }) });
    const taken = await steps.acquire({ typeName: "blocker", limit: count });
    const running = taken.map(({ job }) => job);
    if (isMarked) await steps.createBlocked(running, { typeName: "earlier" });
    const stored: Collection<Stored> = client.db(name).collection("queuert_jobs");
    const countMarkers = (): Promise<number> =>
      client
        .db(name)
        .collection("queuert_waits", { readConcern: { level: "local" } })
        .countDocuments({ sequenceId: { $exists: false } });
    const markersBefore = await countMarkers();
    await setHeld(true);
    const completed = harness.stateAdapter.runInTransaction((context) =>
      harness.stateAdapter.completeJobs({
        ...{ context, workerId: "w", completions: running.map(toCompletion) },
      }),
    );
    try {
      await within(untilHalf(stored, running), "one half");
      const isMarkerSeen = (await countMarkers()) > markersBefore;
      const answer = await meanwhile({
        steps: createStateSteps(harness.secondStateAdapter ?? harness.stateAdapter),
        running,
        isMarkerSeen,
      });
      await completed;
      return answer;
    } finally {
      await setHeld(false);
      await harness.close();
    }
  };

  interface Half {
    readonly steps: ReturnType<typeof createStateSteps>;
    readonly running: readonly StateJob[];
    /** Whether the transaction's marker is in the committed half. */
    readonly isMarkerSeen: boolean;
  }

  const untilHalf = async (
    stored: Collection<Stored>,
    running: readonly StateJob[],
  ): Promise<void> => {
    const ids = running.map(({ id }) => id);
    for (;;) {
      const options = { readConcern: { level: "local" } } as const;
      const found = await stored.find({ _id: { $in: ids } }, options).toArray();
      if (new Set(found.map(({ status }) => status)).size === 2) return;
    }
  };

  it("is not seen by halves", { timeout: timeoutMs }, async () => {
    await completeByHalves(false, async ({ steps, running }) => {
      const seen = await Promise.all(running.map((job) => steps.get(job)));
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(["completed"]));
    });
  });

  it("is waited for by a job that begins to wait", { timeout: timeoutMs }, async () => {
    const begin = async ({ steps, running, isMarkerSeen }: Half): Promise<boolean> => {
      const job = await within(steps.createBlocked(running), "the waiter");
      expect(job.status).toBe("pending");
      return isMarkerSeen;
    };
    // The shard of the marker is chance: repeated until it is the shard that has committed first.
    while (!(await completeByHalves(true, begin)));
  });
});
