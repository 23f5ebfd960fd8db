// A search examines a bounded number of keys and documents, by the server's own count, however few jobs match.
import { providedMongodb } from "@queuert/test-services/provided";
import { type Document, MongoClient } from "mongodb";
import type {
  AnyStateAdapter,
  ExaminedJobs,
  ExamineJobsParams,
  StoreCondition,
} from "queuert/internal";
import { createStateSteps, jobs } from "queuert/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMongoStateAdapter } from "../src/index.ts";
import { createMongodbProvider } from "../src/providers/mongodb.ts";

const completedCount = 3_000;
const scheduledCount = 1_000;
const examineMax = 100;
const retriedCount = 3;
const waitedForCount = 5;

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
  for (let index = 0; index < retriedCount; index++) {
    const running = await steps.createRunning({ typeName: "flaky" });
    await steps.reschedule(running, { afterMs: 3_600_000 });
  }
  for (let index = 0; index < waitedForCount; index++) {
    const failing = await steps.createRunning({ typeName: "bank" });
    await steps.createBlocked([failing], { typeName: "waiting" });
    await steps.fail(failing);
  }
});

afterAll(async () => {
  await client.close();
  await drop();
});

interface Examined {
  readonly keys: number;
  readonly documents: number;
}

/** The reading commands that a call sends, each with the counts of its parts. */
const explained = async (
  call: () => Promise<unknown>,
): Promise<readonly (readonly Document[])[]> => {
  const sent: Document[] = [];
  const record = ({ commandName, command }: { commandName: string; command: Document }): void => {
    if (commandName === "find" || commandName === "aggregate") sent.push(command);
  };
  client.on("commandStarted", record);
  await call();
  client.off("commandStarted", record);
  const commands: (readonly Document[])[] = [];
  for (const { lsid, $clusterTime, $db, readConcern, $readPreference, ...command } of sent) {
    void [lsid, $clusterTime, $db, readConcern, $readPreference];
    const explanation = await client
      .db(databaseName)
      .command({ explain: command, verbosity: "executionStats" });
    commands.push(statsOf(explanation));
  }
  return commands;
};

/** Of the command itself, and of each `$unionWith`. */
const statsOf = (value: unknown): readonly Document[] => {
  if (Array.isArray(value)) return value.flatMap(statsOf);
  if (typeof value !== "object" || value === null) return [];
  const own = value as Document;
  if ("totalKeysExamined" in own) return [own];
  return Object.values(own).flatMap(statsOf);
};

const sumOf = (stats: readonly Document[]): Examined => ({
  keys: stats.reduce((sum, each) => sum + Number(each["totalKeysExamined"]), 0),
  documents: stats.reduce((sum, each) => sum + Number(each["totalDocsExamined"]), 0),
});

/** The largest number of keys and of documents that one command of a call examines. */
const examinedBy = async (call: () => Promise<unknown>): Promise<Examined> => {
  const all = (await explained(call)).map(sumOf);
  return {
    keys: Math.max(...all.map(({ keys }) => keys)),
    documents: Math.max(...all.map(({ documents }) => documents)),
  };
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
    const found = await search();
    const failedCount = waitedForCount + 1;
    expect(found?.jobs.at(-1)).toMatchObject({ typeName: "old" });
    expect(found).toMatchObject({ examined: failedCount, examinedTo: null });
    const examined = await examinedBy(() => Promise.resolve(search()));
    expect(examined.documents).toBeLessThanOrEqual(failedCount + 1);
  });

  it("finds retried jobs without a look at the other pending ones", async () => {
    const conditions = [{ field: "is", anyOf: ["retrying"], negated: false }] as const;
    // Also if all pending jobs are few enough for one search.
    for (const most of [examineMax, 10 * scheduledCount]) {
      const given = { ...page, conditions, examineMax: most };
      const search = () => adapter.operator?.examineJobs?.(given);
      const found = await search();
      expect(found).toMatchObject({ examined: retriedCount, examinedTo: null });
      expect(found?.jobs.map(({ typeName }) => typeName)).toEqual(["flaky", "flaky", "flaky"]);
      const counted = { conditions, max: 10, examineMax: most };
      expect(await adapter.operator?.countJobs?.(counted)).toEqual({
        count: retriedCount,
        isAtLeast: false,
      });
      for (const call of [search, () => adapter.operator?.countJobs?.(counted)]) {
        const examined = await examinedBy(() => Promise.resolve(call()));
        expect(examined.keys).toBeLessThanOrEqual(retriedCount + 1);
        expect(examined.documents).toBeLessThanOrEqual(retriedCount);
      }
    }
  });

  it("finds more retried jobs than one search looks at, page by page", async () => {
    const conditions = [{ field: "is", anyOf: ["retrying"], negated: false }] as const;
    const given = { ...page, conditions, examineMax: 2 };
    const ordinals: number[] = [];
    let afterOrdinal: number | null = null;
    do {
      const found: ExaminedJobs | undefined = await adapter.operator?.examineJobs?.({
        ...given,
        afterOrdinal,
      });
      expect(found?.examined).toBeLessThanOrEqual(2);
      ordinals.push(...(found?.jobs ?? []).map(({ ordinal }) => ordinal));
      afterOrdinal = found?.examinedTo ?? null;
    } while (afterOrdinal !== null);
    expect(new Set(ordinals).size).toBe(retriedCount);
    expect(ordinals).toHaveLength(retriedCount);
  });

  it("counts the jobs before a job within the bound", async () => {
    const count = () => adapter.operator?.countAhead?.({ ids: [waitingId], max: 100 });
    expect(await count()).toEqual([{ ahead: 0, higherPriority: 0, isAtLeast: true }]);
    const examined = await examinedBy(() => Promise.resolve(count()));
    expect(examined.keys).toBeLessThanOrEqual(103);
    expect(examined.documents).toBeLessThanOrEqual(1);
  });
});

describe("the jobs before a job of 4,000", () => {
  it("are counted by their index alone", async () => {
    const created = await adapter.createJobs({ jobs: jobs(61, { typeName: "line" }) });
    const last = created.at(-1)?.job.id ?? "";
    const count = () => adapter.operator?.countAhead?.({ ids: [last], max: 100 });
    expect(await count()).toEqual([{ ahead: 60, higherPriority: 0, isAtLeast: false }]);
    const examined = await examinedBy(() => Promise.resolve(count()));
    expect(examined.documents).toBeLessThanOrEqual(1);
    expect(examined.keys).toBeLessThanOrEqual(65);
  });
});

describe("the summary of 4,000 jobs", () => {
  it("reads the failed and the running jobs once, and each job that waits for a failed one", async () => {
    const summary = await adapter.summarize({ runningLongMs: 60_000 });
    expect(summary.blockedByFailedCount).toBe(waitedForCount);
    const commands = await explained(() => adapter.summarize({ runningLongMs: 60_000 }));
    expect(commands).toHaveLength(2);
    const [counts = [], waits = []] = commands;
    // Pending and blocked jobs are counted by their index alone.
    const failedCount = waitedForCount + 1;
    expect(counts.length).toBe(4);
    expect(sumOf(counts).documents).toBe(failedCount);
    expect(sumOf(waits).documents).toBeLessThanOrEqual(waitedForCount);
    expect(sumOf(waits).keys).toBeLessThanOrEqual(2 * waitedForCount + 1);
  });
});
