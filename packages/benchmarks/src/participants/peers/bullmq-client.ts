import { FlowProducer, Queue, Worker } from "bullmq";
import {
  drainedAtBy,
  type Inspector,
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
} from "../participant.ts";

const queueName = "single";
const options = { removeOnComplete: true } as const;

const connectionOf = ({ url, prefix }: Target) => {
  const { hostname, port } = new URL(url);
  return { prefix, connection: { host: hostname, port: Number(port) } };
};

const flowsOf = (unitCount: number) =>
  Array.from({ length: unitCount }, () => ({
    ...{ name: "whole", queueName, data: payloadOf(0), opts: options },
    children: Array.from({ length: 10 }, () => ({
      ...{ name: "part", queueName, data: payloadOf(0), opts: options },
    })),
  }));

const open = async (target: Target): Promise<Opened> => {
  const connection = connectionOf(target);
  const queue = new Queue<Payload>(queueName, connection);
  const flows = new FlowProducer(connection);
  await queue.waitUntilReady();
  return {
    startOne: (payload) => queue.add("one", payload, options),
    startMany: (workload, unitCount) => {
      if (workload === "fan-in") return flows.addBulk(flowsOf(unitCount));
      const name = workload === "chain" ? "step-1" : "one";
      return queue.addBulk(
        Array.from({ length: unitCount }, () => ({ name, data: payloadOf(0), opts: options })),
      );
    },
    work: async ({ concurrency, onRun }) => {
      const worker = new Worker<Payload>(
        queueName,
        async ({ name, data }) => {
          onRun(data.at);
          const step = /^step-([1-4])$/.exec(name)?.[1];
          if (step !== undefined) await queue.add(`step-${Number(step) + 1}`, data, options);
        },
        { ...connection, concurrency },
      );
      await worker.waitUntilReady();
      return () => worker.close();
    },
    close: async () => {
      await flows.close();
      await queue.close();
    },
  };
};

const inspect = async (target: Target): Promise<Inspector> => {
  const queue = new Queue(queueName, connectionOf(target));
  await queue.waitUntilReady();
  const unfinishedCount = (): Promise<number> =>
    queue.getJobCountByTypes("wait", "active", "prioritized", "delayed", "waiting-children");
  return {
    unfinishedCount,
    drainedAt: () => drainedAtBy([async () => (await unfinishedCount()) > 0]),
    writtenCount: async () => undefined,
    settle: async () => {},
    close: () => queue.close(),
  };
};

export const createBullmq = (text: string): Participant => ({
  store: "redis",
  settings: `ioredis, removeOnComplete; ${text}`,
  // It has no transactions for a row of the user's.
  workloads: ["value", "chain", "fan-in"],
  prepare: async () => {},
  open,
  inspect,
});
