// The methods about keys of limits, which are an optional part of the contract.
import type { LimitKeyStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { getLimitKeys } from "./get-limit-keys.ts";
import { setLimitKeys } from "./set-limit-keys.ts";

export const createPgLimitKeys = (db: PgDatabase): LimitKeyStore => ({
  setLimitKeys: setLimitKeys(db),
  getLimitKeys: getLimitKeys(db),
});
