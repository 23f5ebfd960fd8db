// The history of attempts cannot be turned off. For the comparison, the updates that write it leave it out.
import type { MongoCollection } from "@queuert/mongodb";
import type { Participant } from "../participant.ts";
import { openWithMongodb, participant as usual } from "./mongodb.ts";

interface Batched {
  readonly updateOne: {
    readonly filter: object;
    readonly update: readonly { readonly $set?: Readonly<Record<string, unknown>> }[];
  };
}

const withoutHistory = ({ updateOne }: Batched): object => ({
  updateOne: {
    ...updateOne,
    update: updateOne.update.map((stage) => {
      if (stage.$set === undefined) return stage;
      const { attempts, ...$set } = stage.$set;
      void attempts;
      return { $set };
    }),
  },
});

const isOfPipelines = (operations: readonly object[]): operations is readonly Batched[] =>
  operations.every(
    (each) => "updateOne" in each && Array.isArray((each as Batched).updateOne.update),
  );

const silent = (collection: MongoCollection): MongoCollection => ({
  find: (...args) => collection.find(...args),
  aggregate: (...args) => collection.aggregate(...args),
  insertMany: (...args) => collection.insertMany(...args),
  updateMany: (...args) => collection.updateMany(...args),
  findOneAndUpdate: (...args) => collection.findOneAndUpdate(...args),
  deleteMany: (...args) => collection.deleteMany(...args),
  bulkWrite: (operations, options) =>
    collection.bulkWrite(
      isOfPipelines(operations) ? operations.map(withoutHistory) : operations,
      options,
    ),
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
