// The server explains every command on the way of a job: none scans a collection, and none sorts documents that
// an index has in order.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Document, MongoClient } from "mongodb";
import type { StateJob } from "queuert/internal";
import { aContinuation, aJob, aKey, createStateSteps, jobs } from "queuert/testing";
import { expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";
import type { AnyStateAdapter } from "queuert/internal";

const explained = new Set(["find", "aggregate", "update", "delete", "findAndModify"]);

/** Every call of a worker and of a starter, once. */
const walk = async (adapter: AnyStateAdapter): Promise<void> => {
  const steps = createStateSteps(adapter);
  const lease = ({ id, leaseVersion }: StateJob) => ({ jobId: id, leaseVersion });
  await adapter.createJobs({ jobs: [aJob({ deduplication: aKey("k") })] });
  await adapter.createJobs({ jobs: jobs(2, { deduplication: aKey("k") }) });
  const blocker = await steps.createRunning({ typeName: "blocker" });
  const { id } = await steps.createBlocked([blocker], { typeName: "waiting" });
  const next = await steps.continueWith(blocker);
  const types = ["next", "task", "other"].map((typeName) => ({ typeName, leaseMs: 1, limit: 5 }));
  const { jobs: acquired } = await adapter.acquireJobs({ workerId: "w", limit: 9, types });
  const running = acquired.map(({ job }) => job);
  await adapter.renewLeases({ leases: running.map((job) => ({ ...lease(job), leaseMs: 1 })) });
  await steps.untilExpired(running[0] ?? next);
  await adapter.reclaimExpiredLeases({ limit: 10 });
  const again = await adapter.acquireJobs({ workerId: "w", limit: 9, types });
  await adapter.completeJobs({
    workerId: "w",
    completions: again.jobs.map(({ job }) => ({
      ...lease(job),
      outcome:
        job.typeName === "task"
          ? { kind: "continuation", job: aContinuation(job, { typeName: "last" }) }
          : { kind: "output", output: "1" },
    })),
  });
  const failing = await steps.acquireOne({ typeName: "last" });
  await steps.fail(failing);
  await adapter.retryFailedJobs({ ids: [failing.id] });
  await adapter.triggerJobs({ ids: [failing.id] });
  await steps.reschedule(await steps.acquireOne({ typeName: "waiting" }));
  const ids = [id, blocker.id];
  await adapter.getJobs({ ids });
  await adapter.getSequences({ ids });
  await adapter.getBlockers({ ids });
  await adapter.listBlockerEdges({ ids });
  await adapter.summarize({ runningLongMs: 1 });
  await adapter.runInTransaction((context) => adapter.lockSequences({ context, ids }));
  await adapter.deleteFinishedSequences({
    completedForMs: 0,
    failedForMs: null,
    cancelledForMs: null,
    limit: 10,
  });
  await adapter.runInTransaction((context) =>
    adapter.deleteSequences({ context, rootSequenceIds: ids }),
  );
};

/** The command alone, as `explain` takes it. */
const toExplainable = ({ lsid, txnNumber, $clusterTime, $db, ...rest }: Document): Document => {
  const { startTransaction, autocommit, readConcern, writeConcern, $readPreference, ...bare } =
    rest;
  void [lsid, txnNumber, $clusterTime, $db, startTransaction, autocommit];
  void [readConcern, writeConcern, $readPreference];
  return bare;
};

/** Each statement of a batch by itself: the server explains one at a time. */
const toSingles = (command: Document): Document[] => {
  const [list] = ["updates", "deletes"].filter((name) => name in command);
  if (list === undefined) return [command];
  return (command[list] as Document[]).map((each) => ({ ...command, [list]: [each] }));
};

const findings = (explanation: Document): string[] => {
  const text = JSON.stringify(explanation, (key, value: unknown) =>
    // Rejected plans do not count.
    key === "rejectedPlans" ? undefined : value,
  );
  return ["COLLSCAN", "SORT"].filter((stage) => text.includes(`"stage":"${stage}"`));
};

it("no command of a job's way scans a collection, or sorts", async () => {
  const { url, name, drop } = await providedMongodb().createDatabase();
  const client = new MongoClient(url, { monitorCommands: true });
  const stateProvider = createMongodbProvider({ client, databaseName: name });
  const adapter = await createMongoStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  const sent: Document[] = [];
  client.on("commandStarted", ({ commandName, command }) => {
    if (explained.has(commandName)) sent.push(command);
  });
  await walk(adapter as unknown as AnyStateAdapter);
  client.removeAllListeners("commandStarted");
  expect(sent.length).toBeGreaterThan(50);
  const found = new Set<string>();
  for (const command of sent.map(toExplainable).flatMap(toSingles)) {
    const explanation = await client
      .db(name)
      .command({ explain: command, verbosity: "queryPlanner" });
    for (const stage of findings(explanation)) found.add(`${stage} ${JSON.stringify(command)}`);
  }
  expect([...found]).toEqual([]);
  await client.close();
  await drop();
});
