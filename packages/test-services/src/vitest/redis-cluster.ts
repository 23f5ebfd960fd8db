import { startRedisCluster } from "../redis-cluster.ts";
import { onceServer } from "./once.ts";

export default onceServer("queuert:redis-cluster", startRedisCluster, ({ nodes }) =>
  nodes.map(({ host, port }) => ({ host, port })),
);
