import { MongoBackend } from "@agendajs/mongo-backend";
import { Agenda } from "agenda";
import { MongoClient } from "mongodb";
import { createUserRows, inspectMongodb } from "../mongodb-server.ts";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
} from "../participant.ts";

const processEvery = 100;
const callersAtOnce = 100;

const createAgenda = (client: MongoClient, concurrency: number): Agenda =>
  new Agenda({
    backend: new MongoBackend({ mongo: client.db() }),
    ...{ processEvery, defaultConcurrency: concurrency, maxConcurrency: concurrency },
    removeOnComplete: true,
  });

const open = async ({ url }: Target): Promise<Opened> => {
  const client = new MongoClient(url);
  const starter = createAgenda(client, 1);
  starter.define("single", async () => {});
  await starter.ready;
  const rows = client.db().collection("user_rows");
  return {
    startOne: (payload) => starter.now("single", payload),
    startMany: async (_workload, unitCount) => {
      let left = unitCount;
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await starter.now("single", payloadOf(0));
        }
      };
      await Promise.all(Array.from({ length: Math.min(callersAtOnce, unitCount) }, caller));
    },
    work: async ({ workload, concurrency, onRun }) => {
      const agenda = createAgenda(client, concurrency);
      agenda.define<Payload>("single", async ({ attrs: { data } }) => {
        onRun(data.at);
        if (workload === "callback") await rows.insertOne({ text: "done" });
      });
      await agenda.start();
      return () => agenda.stop(false);
    },
    close: async () => {
      await starter.stop(false);
      await client.close();
    },
  };
};

export const participant: Participant = {
  store: "mongodb",
  settings: `polling every ${processEvery} ms (5 s by default), removeOnComplete; no bulk start. A callback's row is written outside the completion`,
  workloads: ["value", "callback"],
  isSlow: true,
  prepare: async (target) => {
    await createUserRows(target);
    const client = new MongoClient(target.url);
    const agenda = createAgenda(client, 1);
    await agenda.ready;
    await agenda.stop(false);
    await client.close();
  },
  open,
  inspect: (target) =>
    inspectMongodb(target, "agendaJobs", () => [
      { name: "single", nextRunAt: { $lte: new Date() } },
      { name: "single", nextRunAt: null, lockedAt: { $ne: null } },
    ]),
};
