// The user-facing signatures: types only. One file per concern in public-types/.
export type * from "./public-types/abort.ts";
export type * from "./public-types/cancel.ts";
export type * from "./public-types/complete-sequence.ts";
export type * from "./public-types/continue.ts";
export type * from "./public-types/pause.ts";
export type * from "./public-types/query.ts";
export type * from "./public-types/retention.ts";
export type * from "./public-types/process.ts";
export type * from "./public-types/process-once.ts";
export type * from "./public-types/queuert.ts";
export type * from "./public-types/refused.ts";
export type * from "./public-types/schedules.ts";
export type * from "./public-types/start.ts";
export type * from "./public-types/worker.ts";
