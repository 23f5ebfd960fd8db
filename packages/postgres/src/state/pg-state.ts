import type { BaseStateAdapterContext, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";

/** The contract with the types of contexts and ids left out: they are put back where the adapter is assembled. */
export type PgState = StateAdapter<BaseStateAdapterContext, BaseStateAdapterContext, string>;

export type PgDatabase = Database<BaseStateAdapterContext>;
