// The participants by name. The names are stable: later comparisons rely on them.
import type { Participant } from "./participant.ts";

const loaders: Readonly<Record<string, () => Promise<{ readonly participant: Participant }>>> = {
  "queuert-postgres": () => import("./queuert/postgres.ts"),
  "queuert-postgres-js": () => import("./queuert/postgres-js.ts"),
  "queuert-postgres-notify": () => import("./queuert/postgres-notify.ts"),
  "queuert-postgres-batch": () => import("./queuert/postgres-batch.ts"),
  "queuert-postgres-no-registry": () => import("./queuert/postgres-no-registry.ts"),
  "queuert-postgres-no-history": () => import("./queuert/postgres-no-history.ts"),
  "queuert-postgres-redis": () => import("./queuert/postgres-redis.ts"),
  "queuert-postgres-nats": () => import("./queuert/postgres-nats.ts"),
  "floor-postgres": () => import("./floors/postgres.ts"),
  "floor-postgres-batched": () => import("./floors/postgres-batched.ts"),
  "floor-postgres-50": () => import("./floors/postgres-50.ts"),
  "floor-postgres-pipeline": () => import("./floors/postgres-pipeline.ts"),
  "graphile-worker": () => import("./peers/graphile-worker.ts"),
  "graphile-worker-batched": () => import("./peers/graphile-worker-batched.ts"),
  "pg-boss": () => import("./peers/pg-boss.ts"),
  "pg-boss-1000": () => import("./peers/pg-boss-1000.ts"),
  "pg-boss-1000-per-job": () => import("./peers/pg-boss-1000-per-job.ts"),
  "pg-boss-transactional": () => import("./peers/pg-boss-transactional.ts"),
  "bullmq-postgres": () => import("./peers/bullmq-postgres.ts"),
  dbos: () => import("./peers/dbos.ts"),
  openworkflow: () => import("./peers/openworkflow.ts"),
  "queuert-sqlite": () => import("./queuert/sqlite.ts"),
  "queuert-sqlite-no-registry": () => import("./queuert/sqlite-no-registry.ts"),
  "queuert-sqlite-no-history": () => import("./queuert/sqlite-no-history.ts"),
  "floor-sqlite": () => import("./floors/sqlite.ts"),
  plainjob: () => import("./peers/plainjob.ts"),
  liteque: () => import("./peers/liteque.ts"),
  "queuert-mongodb": () => import("./queuert/mongodb.ts"),
  "queuert-mongodb-no-registry": () => import("./queuert/mongodb-no-registry.ts"),
  "queuert-mongodb-no-history": () => import("./queuert/mongodb-no-history.ts"),
  "queuert-mongodb-notify": () => import("./queuert/mongodb-notify.ts"),
  "floor-mongodb": () => import("./floors/mongodb.ts"),
  agenda: () => import("./peers/agenda.ts"),
  bullmq: () => import("./peers/bullmq.ts"),
  "bullmq-fsync": () => import("./peers/bullmq-fsync.ts"),
  "queuert-in-process": () => import("./queuert/in-process.ts"),
};

export const participantNames: readonly string[] = Object.keys(loaders);

export const loadParticipant = async (name: string): Promise<Participant> => {
  const load = loaders[name];
  if (load === undefined) {
    throw new Error(`There is no participant "${name}"; there are: ${participantNames.join(", ")}`);
  }
  return (await load()).participant;
};
