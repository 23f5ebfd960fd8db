import type { MongoCollection, MongoDatabase } from "../src/state-provider.ts";

/** The database, with some methods of every collection replaced. `override` gets the original collection. */
export const overrideCollections = (
  database: MongoDatabase,
  override: (collection: MongoCollection) => Partial<MongoCollection>,
): MongoDatabase => ({
  databaseName: database.databaseName,
  command: (...args) => database.command(...args),
  collection: (name) => {
    const collection = database.collection(name);
    const own = override(collection);
    return new Proxy(collection, {
      get: (target, key) => {
        if (key in own) return Reflect.get(own, key) as unknown;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  },
});
