// Agenda in the MongoDB database of the store. A batch is stored and removed in one transaction. A job that Agenda locks at the same
// time conflicts with its removal, and the batch is rolled back.
import type { ImportedJob, OpenSource } from "./source.ts";
import { assertStore } from "./source.ts";

interface AgendaDocument {
  readonly _id: { toString(): string };
  readonly name: string;
  readonly data?: unknown;
  readonly nextRunAt?: Date | null;
  readonly priority?: number;
}

interface Cursor {
  toArray(): Promise<readonly AgendaDocument[]>;
}
interface Collection {
  aggregate(
    stages: readonly object[],
    options: object,
  ): {
    toArray(): Promise<readonly { readonly _id: string; readonly count: number }[]>;
  };
  find(filter: object, options: object): Cursor;
  deleteMany(filter: object, options: object): Promise<{ readonly deletedCount: number }>;
}
interface Session {
  readonly client: { db(): { collection(name: string): Collection } };
}

/** Waiting, and without a repetition: that is a schedule, which the application declares anew. */
const waiting = {
  nextRunAt: { $ne: null },
  lockedAt: null,
  disabled: { $ne: true },
  $or: [{ repeatInterval: null }, { repeatInterval: "" }],
  repeatAt: null,
};

export const openAgenda: OpenSource = async (options) => {
  assertStore(options, "mongodb", "agenda");
  const client = await options.access.client();
  const collectionOf = (context: object) => {
    const { session } = context as unknown as { readonly session: Session };
    return { session, jobs: session.client.db().collection(options.place ?? "agendaJobs") };
  };
  return {
    count: () =>
      client.transaction(async (context) => {
        const { jobs, session } = collectionOf(context);
        const group = { $group: { _id: "$name", count: { $sum: 1 } } };
        const stages = [{ $match: waiting }, group, { $sort: { _id: 1 } }];
        const found = await jobs.aggregate(stages, { session }).toArray();
        return found.map(({ _id: name, count }) => ({ name, count }));
      }),
    move: ({ names, afterId, limit, store }) =>
      client.transaction(async (context) => {
        const { jobs, session } = collectionOf(context);
        const filter = { ...waiting, name: { $in: names } };
        const found = await jobs.find(filter, { session, sort: { _id: 1 } }).toArray();
        const after = found.findIndex(({ _id }) => _id.toString() === afterId) + 1;
        const batch = found.slice(after, after + limit);
        const ids = new Set(await store(batch.map(toJob), context));
        const moved = batch.filter(({ _id }) => ids.has(_id.toString()));
        if (moved.length > 0) {
          const remove = { ...waiting, _id: { $in: moved.map(({ _id }) => _id) } };
          const { deletedCount } = await jobs.deleteMany(remove, { session });
          if (deletedCount !== moved.length) throw new Error("Agenda has changed a job meanwhile.");
        }
        return batch.at(-1)?._id.toString() ?? null;
      }),
    close: async () => undefined,
  };
};

const toJob = ({ _id, name, data, nextRunAt, priority }: AgendaDocument): ImportedJob => ({
  id: _id.toString(),
  name,
  data: data ?? null,
  runAt: nextRunAt instanceof Date && nextRunAt.getTime() > Date.now() ? nextRunAt : null,
  priority: priority ?? 0,
  key: null,
});
