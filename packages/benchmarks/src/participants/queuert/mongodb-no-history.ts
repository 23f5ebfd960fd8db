// The history of attempts cannot be turned off. For the comparison, the updates that write it leave it out.
import type { MongoCollection } from "@queuert/mongodb";
import type { Participant } from "../participant.ts";
import { openWithMongodb, participant as usual } from "./mongodb.ts";

type Stage = Readonly<Record<string, object>>;

/** Of an update by stages. */
const withoutHistory = (update: object | object[]): object | object[] =>
  Array.isArray(update) ? (update as Stage[]).map(withoutAttempts) : update;

const withoutAttempts = (stage: Stage): Stage => {
  if (stage["$set"] === undefined) return stage;
  const { attempts, ...$set } = stage["$set"] as Readonly<Record<string, unknown>>;
  void attempts;
  return { $set };
};

const silent = (collection: MongoCollection): MongoCollection => ({
  find: (...args) => collection.find(...args),
  aggregate: (...args) => collection.aggregate(...args),
  insertMany: (...args) => collection.insertMany(...args),
  updateMany: (filter, update, options) =>
    collection.updateMany(filter, withoutHistory(update), options),
  findOneAndUpdate: (...args) => collection.findOneAndUpdate(...args),
  deleteMany: (...args) => collection.deleteMany(...args),
  bulkWrite: (...args) => collection.bulkWrite(...args),
});

export const participant: Participant = {
  ...usual,
  settings: "as queuert-mongodb, without the history of failed attempts",
  open: (target) =>
    openWithMongodb(target, undefined, {
      toDatabase: (database) => ({
        databaseName: database.databaseName,
        collection: (name) => silent(database.collection(name)),
        command: (command, options) => database.command(command, options),
      }),
    }),
};
