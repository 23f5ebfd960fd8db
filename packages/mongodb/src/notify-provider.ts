/** A cursor that stays open at the end of a capped collection. */
export interface TailableCursor {
  /** The next document; null when none has come for a while. */
  tryNext(): Promise<object | null>;
  close(): Promise<unknown>;
}

/** A capped collection, as far as it is used here. */
export interface NotifyCollection {
  find(filter: object, options: object): TailableCursor;
  insertMany(documents: readonly object[], options?: object): Promise<unknown>;
}

/** A database that can make a capped collection. */
export interface NotifyDatabase {
  collection(name: string): NotifyCollection;
  command(command: object, options?: object): Promise<object>;
}

/** How the notify adapter reaches MongoDB. The provider of the state adapter fits. */
export interface MongoNotifyProvider {
  /** The native database. Listening keeps one connection of its client's pool busy. */
  readonly database: NotifyDatabase;
}
