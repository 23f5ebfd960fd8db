import type { BackendClasses, IQueueBackend } from "bullmq";
import { type Opened, type Payload, payloadOf, type Workload } from "../participant.ts";

export const queueName = "single";
const options = { removeOnComplete: true } as const;

// It has no transactions for a row of the user's.
export const bullmqWorkloads: readonly Workload[] = ["value", "chain", "fan-in"];

const flowsOf = (unitCount: number) =>
  Array.from({ length: unitCount }, () => ({
    ...{ name: "whole", queueName, data: payloadOf(0), opts: options },
    children: Array.from({ length: 10 }, () => ({
      ...{ name: "part", queueName, data: payloadOf(0), opts: options },
    })),
  }));

/** `connection`: of the backend that the classes are bound to. */
export const openBullmq = async <TBackend extends IQueueBackend, TConnection>(
  { Queue, Worker, FlowProducer }: BackendClasses<TBackend, TConnection>,
  connection: { readonly connection: TConnection; readonly prefix?: string },
): Promise<Opened> => {
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
