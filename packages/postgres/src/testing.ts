// `@queuert/postgres/testing`: the suites of `queuert/testing` on PostgreSQL.
export { extendWithStatePostgres, openStatePostgres } from "./testing/state-postgres.ts";
export type { StatePostgresOptions, TestConnection } from "./testing/state-postgres.ts";
export { extendWithPostgresNotify, openNotifyPostgres } from "./testing/notify-postgres.ts";
export type { NotifyPostgresOptions, TestNotifyConnection } from "./testing/notify-postgres.ts";
export { createPgPoolNotifyProvider } from "./providers/pg-notify.ts";
