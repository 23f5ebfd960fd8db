// `@queuert/mongodb/test`: time travel for the tests of an application, on its own store.
import { assertNotInProduction, InvalidOptionError, type TimeTravel } from "queuert/internal";
import { type AdapterStore, storeOf } from "./adapter-store.ts";
import type { MetricDocument } from "./database.ts";
import { metricId } from "./operator/record-metrics.ts";
import { type TickDocument, tickId } from "./schedule-document.ts";
import { plainValues } from "./store.ts";

/**
 * For the option `timeTravel` of `createTestQueuert`: moves every instant that the store holds. Never on a store that an
 * application uses.
 *
 * @example
 * ```ts
 * const test = await createTestQueuert({
 *   jobTypeDefinitions: jobTypes,
 *   stateAdapter,
 *   timeTravel: createMongoTimeTravel(stateAdapter),
 * });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createMongoTimeTravel = (stateAdapter: object): TimeTravel => {
  assertNotInProduction("createMongoTimeTravel");
  const store = storeOf(stateAdapter);
  if (store === undefined) {
    const remedy = "give the adapter that `createMongoStateAdapter` returned, not a copy";
    throw new InvalidOptionError("stateAdapter", stateAdapter, remedy);
  }
  return { shiftTimes: (ms) => shiftTimes(store, ms) };
};

type Stored = { readonly _id: string } & Readonly<Record<string, unknown>>;

const shiftTimes = ({ provider, names }: AdapterStore, ms: number): Promise<void> =>
  provider.runInTransaction(async (context) => {
    const session = provider.sessionOf(context);
    const options = { ...plainValues, session };
    // A marker of a transaction has no due time. A TTL index would remove it if it moved.
    const { waits: _, schedule_ticks: ticks, metrics, ...others } = names;
    for (const name of Object.values(others)) {
      const collection = provider.database.collection(name);
      const documents = (await collection.find({}, options).toArray()) as Stored[];
      const updates = documents.flatMap((document) => toUpdate(document, ms));
      if (updates.length > 0) await collection.bulkWrite(updates, options);
    }
    // Their ids have their instants.
    const replace = async <TDocument extends object>(
      name: string,
      idOf: (document: TDocument) => string,
    ): Promise<void> => {
      const collection = provider.database.collection(name);
      const stored = (await collection.find({}, options).toArray()) as TDocument[];
      if (stored.length === 0) return;
      await collection.deleteMany({}, options);
      const documents = stored.map((document) => moved(document, ms) as TDocument);
      const replaced = documents.map((document) => ({ ...document, _id: idOf(document) }));
      await collection.insertMany(replaced, options);
    };
    await replace<TickDocument>(ticks, tickId);
    await replace<MetricDocument>(metrics, (metric) =>
      metricId(metric.stepMs, metric.at, metric.typeName),
    );
  });

/** Sets the fields that are instants, or contain some. */
const toUpdate = ({ _id, ...fields }: Stored, ms: number): readonly object[] => {
  const changed = Object.entries(fields)
    .map(([key, value]) => [key, value, movedField(key, value, ms)] as const)
    .filter(([, value, after]) => after !== value);
  if (changed.length === 0) return [];
  const $set = Object.fromEntries(changed.map(([key, , after]) => [key, after]));
  return [{ updateOne: { filter: { _id }, update: { $set } } }];
};

/** A field named so counts microseconds. */
const movedField = (key: string, value: unknown, ms: number): unknown =>
  key.endsWith("AtUs") && typeof value === "number" ? value - ms * 1_000 : moved(value, ms);

/** The value itself if it contains no instant. */
const moved = (value: unknown, ms: number): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return new Date(value.getTime() - ms);
  if (Array.isArray(value)) {
    const elements = value.map((element) => moved(element, ms));
    return elements.some((element, index) => element !== value[index]) ? elements : value;
  }
  // Plain documents alone have instants of the library.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, moved(member, ms)] as const);
  const isChanged = entries.some(([key, after]) => after !== (value as Stored)[key]);
  return isChanged ? Object.fromEntries(entries) : value;
};
