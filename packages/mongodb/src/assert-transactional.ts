import { answered } from "./answered.ts";
import type { MongoDatabase } from "./driver.ts";
import { MongoServerTooOldError, MongoStandaloneServerError } from "./errors.ts";

interface Hello {
  readonly setName?: string;
  readonly msg?: string;
  readonly maxWireVersion?: number;
}

// MongoDB 5.0: `$lookup` by field and pipeline together.
const wireVersionMin = 13;

export interface Deployment {
  /** The server is the router of a sharded cluster. */
  readonly isSharded: boolean;
}

/** Refuses a server that cannot keep the contract: a standalone one, or one that is too old. */
export const assertTransactional = async (
  database: MongoDatabase,
  answerTimeoutMs: number,
): Promise<Deployment> => {
  // What every server answers to `hello`.
  const hello = (await answered(answerTimeoutMs, () => database.command({ hello: 1 }))) as Hello;
  const { setName, msg, maxWireVersion = 0 } = hello;
  if (maxWireVersion < wireVersionMin) throw new MongoServerTooOldError(maxWireVersion);
  const isSharded = msg === "isdbgrid";
  if (setName === undefined && !isSharded) throw new MongoStandaloneServerError();
  return { isSharded };
};
