// A search examines a bounded number of keys and documents, by the server's own count, however few jobs match.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Document, MongoClient } from "mongodb";
import type { AnyStateAdapter, ExamineJobsParams, StoreCondition } from "queuert/internal";
import { createStateSteps, jobs } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const completedCount = 3_000;
const scheduledCount = 1_000;
const examineMax = 100;

let client: MongoClient;
let databaseName: string;
let drop: () => Promise<void>;
let adapter: AnyStateAdapter;
let waitingId: string;

beforeAll(async () => {
  const provided = await providedMongodb().createDatabase();
  databaseName = provided.name;
  drop = provided.drop;
  client = new MongoClient(provided.url, { monitorCommands: true });
  const stateProvider = createMongodbProvider({ client, databaseName });
  const mongo = await createMongoStateAdapter({ stateProvider });
  await mongo.migrateToLatest();
  adapter = mongo as unknown as AnyStateAdapter;
  const steps = createStateSteps(adapter);
  await steps.createFailed({ typeName: "old" }, "Error: early");
  await adapter.createJobs({ jobs: jobs(completedCount) });
  const finished = { status: "completed", finishedAt: new Date(), attempt: 1 };
  await client
    .db(databaseName)
    .collection("queuert_jobs")
    .updateMany({ typeName: "task" }, { $set: finished });
  const later = { schedule: { afterMs: 3_600_000 }, typeName: "busy", priority: 9 };
  await adapter.createJobs({ jobs: jobs(scheduledCount, later) });
  waitingId = (await steps.createOne({ typeName: "busy" })).id;
});

afterAll(async () => {
  await client.close();
  await drop();
});

interface Examined {
  readonly keys: number;
  readonly documents: number;
}

/** The largest number of keys and of documents that one command of a call examines. */
const examinedBy = async (call: () => Promise<unknown>): Promise<Examined> => {
  const sent: Document[] = [];
  const record = ({ commandName, command }: { commandName: string; command: Document }): void => {
    if (commandName === "find" || commandName === "aggregate") sent.push(command);
  };
  client.on("commandStarted", record);
  await call();
  client.off("commandStarted", record);
  const all = { keys: 0, documents: 0 };
  for (const { lsid, $clusterTime, $db, readConcern, $readPreference, ...command } of sent) {
    void [lsid, $clusterTime, $db, readConcern, $readPreference];
    const explanation = await client
      .db(databaseName)
      .command({ explain: command, verbosity: "executionStats" });
    const [first] = (explanation["stages"] ?? []) as Document[];
    const stats = (first?.["$cursor"] ?? explanation)["executionStats"] as Document;
    all.keys = Math.max(all.keys, Number(stats["totalKeysExamined"]));
    all.documents = Math.max(all.documents, Number(stats["totalDocsExamined"]));
  }
  return all;
};

const page: Omit<ExamineJobsParams, "conditions"> = {
  order: "desc",
  limit: 50,
  afterOrdinal: null,
  ordinalMax: null,
  examineMax,
};

describe("a search of 4,000 jobs", () => {
  const searches: readonly (readonly [string, StoreCondition])[] = [
    [
      "a type that no job has",
      { field: "text", of: "typeName", anyOf: ["absent"], negated: false },
    ],
    ["a text of payloads", { field: "contains", of: ["input"], anyOf: ["no"], negated: false }],
    ["completed jobs", { field: "status", anyOf: ["completed"], negated: false }],
    ["many scheduled jobs", { field: "is", anyOf: ["scheduled"], negated: false }],
    ["a worker", { field: "text", of: "completedBy", anyOf: ["w"], negated: false }],
    ["a negation", { field: "status", anyOf: ["pending", "completed"], negated: true }],
  ];
  it.each(searches)("for %s examines a bounded number", async (_, condition) => {
    const examined = await examinedBy(() =>
      Promise.resolve(adapter.operator?.examineJobs?.({ ...page, conditions: [condition] })),
    );
    expect(examined.keys).toBeGreaterThan(0);
    expect(examined.keys).toBeLessThanOrEqual(examineMax + 2);
    expect(examined.documents).toBeLessThanOrEqual(examineMax);
  });

  it("finds the oldest failed job without a look at the completed ones", async () => {
    const conditions = [{ field: "status", anyOf: ["failed"], negated: false }] as const;
    const search = () => adapter.operator?.examineJobs?.({ ...page, conditions });
    expect(await search()).toMatchObject({
      jobs: [{ typeName: "old" }],
      examined: 1,
      examinedTo: null,
    });
    const examined = await examinedBy(() => Promise.resolve(search()));
    expect(examined.documents).toBeLessThanOrEqual(2);
  });

  it("counts the jobs before a job within the bound", async () => {
    const count = () => adapter.operator?.countAhead?.({ ids: [waitingId], max: 100 });
    expect(await count()).toEqual([{ ahead: 0, higherPriority: 0, isAtLeast: true }]);
    const examined = await examinedBy(() => Promise.resolve(count()));
    expect(examined.keys).toBeLessThanOrEqual(103);
  });
});
