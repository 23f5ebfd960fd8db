import { createRedisBackend, Queue, withBackend } from "bullmq";
import { drainedAtBy, type Inspector, type Participant, type Target } from "../participant.ts";
import { bullmqWorkloads, openBullmq, queueName } from "./bullmq-client.ts";

const connectionOf = ({ url, prefix }: Target) => {
  const { hostname, port } = new URL(url);
  return { prefix, connection: { host: hostname, port: Number(port) } };
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
  workloads: bullmqWorkloads,
  prepare: async () => {},
  open: (target) => openBullmq(withBackend(createRedisBackend), connectionOf(target)),
  inspect,
});
