import type { MongoCollection, MongoDatabase } from "../src/state-provider.ts";

/** The database, with some methods of every collection replaced, and its command. `override` gets the original collection. */
export const overrideCollections = (
  database: MongoDatabase,
  override: (collection: MongoCollection) => Partial<MongoCollection>,
  command: MongoDatabase["command"] = (...args) => database.command(...args),
): MongoDatabase => ({
  databaseName: database.databaseName,
  command,
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
