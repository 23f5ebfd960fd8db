// BullMQ is another system: no transaction covers both. Its queues are paused, and each job is stored under a key of its own before
// it is removed. After a crash in between, a second import finds the stored job by its key.
import { findPackage } from "../connect/load-package.ts";
import { CliPackageMissingError, CliUsageError } from "../errors.ts";
import type { ImportedJob, OpenSource } from "./source.ts";

interface BullJob {
  readonly id?: string;
  readonly name: string;
  readonly data: unknown;
  readonly timestamp: number;
  readonly delay?: number;
  readonly priority?: number;
  readonly opts: { readonly deduplication?: { readonly id?: string } };
  remove(): Promise<void>;
}
interface BullQueue {
  pause(): Promise<void>;
  getJobs(types: readonly string[]): Promise<readonly (BullJob | undefined)[]>;
  close(): Promise<void>;
}
interface BullModule {
  readonly Queue: new (name: string, options: object) => BullQueue;
}

const waitingTypes = ["waiting", "paused", "delayed", "prioritized"];

export const openBullmq: OpenSource = async ({ access, from, place, queues }) => {
  if (from === undefined || queues.length === 0) {
    throw new CliUsageError(
      "bullmq needs `--from redis://…` and `--queue <name>`, once for each queue.",
    );
  }
  const module = (await findPackage(access.config.folder, "bullmq")) as BullModule | undefined;
  if (module === undefined) throw new CliPackageMissingError(["bullmq"]);
  const prefix = place === undefined ? {} : { prefix: place };
  const open = queues.map(
    (name) => new module.Queue(name, { connection: { url: from }, ...prefix }),
  );
  const list = async (): Promise<readonly (BullJob & { readonly id: string })[]> => {
    const ofQueues = await Promise.all(open.map((queue) => queue.getJobs(waitingTypes)));
    return ofQueues
      .flat()
      .flatMap((job) => (job?.id === undefined ? [] : [job as BullJob & { id: string }]));
  };
  return {
    count: async () => {
      const counts = new Map<string, number>();
      for (const { name } of await list()) counts.set(name, (counts.get(name) ?? 0) + 1);
      return [...counts].map(([name, count]) => ({ name, count }));
    },
    move: async ({ names, afterId, limit, isDryRun, store }) => {
      // They stay paused: their jobs belong to Queuert from here on.
      if (!isDryRun) await Promise.all(open.map((queue) => queue.pause()));
      const found = (await list()).filter(({ name }) => names.includes(name));
      found.sort((a, b) => (a.id < b.id ? -1 : 1));
      const batch = found.filter(({ id }) => afterId === null || id > afterId).slice(0, limit);
      const ids = new Set(await store(batch.map(toJob), undefined));
      for (const job of batch) if (ids.has(job.id)) await job.remove();
      return batch.at(-1)?.id ?? null;
    },
    close: async () => {
      await Promise.all(open.map((queue) => queue.close()));
    },
  };
};

const toJob = (job: BullJob & { readonly id: string }): ImportedJob => {
  const dueAt = job.timestamp + (job.delay ?? 0);
  return {
    id: job.id,
    name: job.name,
    data: job.data,
    runAt: dueAt > Date.now() ? new Date(dueAt) : null,
    // 1 is its highest priority, and 0 none, which comes before all.
    priority: -(job.priority ?? 0),
    key: job.opts.deduplication?.id ?? null,
  };
};
