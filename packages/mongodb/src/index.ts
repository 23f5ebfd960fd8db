export {
  createMongoStateAdapter,
  type MongoStateAdapter,
  type MongoStateAdapterOptions,
} from "./create-mongo-state-adapter.ts";
export type { MigrateOptions, MigrationReport } from "./migrations/migrate.ts";
export type {
  MongoCollection,
  MongoCursor,
  MongoDatabase,
  MongoSession,
  MongoStateProvider,
} from "./state-provider.ts";
export {
  runMongoTransaction,
  type RunMongoTransactionOptions,
  type TransactionSession,
} from "./providers/run-transaction.ts";
export { isTransientMongoError } from "./driver-errors.ts";
export * from "./errors.ts";
export {
  createMongoNotifyAdapter,
  type MongoNotifyAdapterOptions,
} from "./create-mongo-notify-adapter.ts";
export type {
  MongoNotifyProvider,
  NotifyCollection,
  NotifyDatabase,
  TailableCursor,
} from "./notify-provider.ts";
