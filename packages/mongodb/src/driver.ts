// The seam to the driver: the few methods that are called, by shape. Drivers 6 and 7 both have it, and so has whatever
// an ORM hands out as its native database; no driver type goes further than its provider's file.

/** The part of a `ClientSession` that is looked at. Its identity is what puts a command into a transaction. */
export interface MongoSession {
  inTransaction(): boolean;
}

export interface MongoCursor {
  toArray(): Promise<object[]>;
}

export interface MongoCollection {
  find(filter: object, options?: object): MongoCursor;
  aggregate(pipeline?: object[], options?: object): MongoCursor;
  insertMany(documents: readonly object[], options?: object): Promise<unknown>;
  updateMany(
    filter: object,
    update: object | object[],
    options?: object,
  ): Promise<{ modifiedCount: number }>;
  bulkWrite(operations: readonly object[], options?: object): Promise<{ modifiedCount: number }>;
  findOneAndUpdate(
    filter: object,
    update: object | object[],
    options: object,
  ): Promise<object | null>;
  deleteMany(filter: object, options?: object): Promise<{ deletedCount: number }>;
}

export interface MongoDatabase {
  readonly databaseName: string;
  collection(name: string): MongoCollection;
  command(command: object, options?: object): Promise<object>;
}
