// The keys and documents that the commands of each read examine on MongoDB, by the server's own count.
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { type Document, MongoClient } from "mongodb";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createOperator } from "queuert/operator";
import { fillMongodb } from "./fill-mongodb.ts";
import { reads } from "./reads.ts";

export interface ExaminedRead {
  readonly name: string;
  /** Of all commands together. */
  readonly keys: number;
  readonly documents: number;
  readonly keysMax: number;
  readonly documentsMax: number;
  readonly ms: number;
}

export const measureMongodb = async (
  url: string,
  jobCount: number,
): Promise<readonly ExaminedRead[]> => {
  const client = new MongoClient(url, { monitorCommands: true });
  try {
    const stateProvider = createMongodbProvider({ client });
    const stateAdapter = await createMongoStateAdapter({ stateProvider });
    await stateAdapter.migrateToLatest();
    const { dueId, failedSequenceId } = await fillMongodb(client, jobCount);
    const examineStep = Math.min(100_000, Math.ceil(jobCount / 10));
    const known = { dueId, failedSequenceId, examineStep };
    const jobTypeDefinitions = defineUnionJobTypes<object>();
    const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log: () => undefined });
    const measured: ExaminedRead[] = [];
    for (const { name, run, keysMax, documentsMax } of reads) {
      const operator = createOperator({ queuert, examineStep, queryTimeoutMs: 600_000 });
      const begunAt = performance.now();
      const sent = await recorded(client, () => run(operator, known));
      const ms = performance.now() - begunAt;
      const examined = await examinedBy(client, sent);
      measured.push({ name, ...examined, keysMax: keysMax(known), documentsMax, ms });
    }
    return measured;
  } finally {
    await client.close();
  }
};

/** The reading commands that a call sends. */
const recorded = async (
  client: MongoClient,
  call: () => Promise<unknown>,
): Promise<readonly Document[]> => {
  const sent: Document[] = [];
  const record = ({ commandName, command }: { commandName: string; command: Document }): void => {
    if (commandName === "find" || commandName === "aggregate") sent.push(command);
  };
  client.on("commandStarted", record);
  await call();
  client.off("commandStarted", record);
  return sent;
};

const examinedBy = async (
  client: MongoClient,
  sent: readonly Document[],
): Promise<{ readonly keys: number; readonly documents: number }> => {
  let keys = 0;
  let documents = 0;
  for (const { lsid, $clusterTime, $db, readConcern, $readPreference, ...command } of sent) {
    void [lsid, $clusterTime, $db, readConcern, $readPreference];
    const explanation = await client
      .db()
      .command({ explain: command, verbosity: "executionStats" });
    for (const stats of statsOf(explanation)) {
      keys += Number(stats["totalKeysExamined"]);
      documents += Number(stats["totalDocsExamined"]);
    }
  }
  return { keys, documents };
};

/** Of the command itself, and of each collection that it joins. */
const statsOf = (value: unknown): readonly Document[] => {
  if (Array.isArray(value)) return value.flatMap(statsOf);
  if (typeof value !== "object" || value === null) return [];
  const own = value as Document;
  if ("totalKeysExamined" in own) return [own];
  return Object.values(own).flatMap(statsOf);
};
