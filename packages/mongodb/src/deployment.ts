// The kinds of deployment on which the contract holds.
import { withDriverTimeout } from "./driver-timeout.ts";
import { MongoServerTooOldError, MongoStandaloneServerError } from "./errors.ts";
import type { MongoDatabase } from "./state-provider.ts";

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

/** Refuses a standalone server, and one that is too old. */
export const assertDeployment = async (
  database: MongoDatabase,
  answerTimeoutMs: number,
): Promise<Deployment> => {
  const hello = await withDriverTimeout(
    answerTimeoutMs,
    // The shape of every server's reply to `hello`.
    async () => (await database.command({ hello: 1 })) as Hello,
  );
  const { setName, msg, maxWireVersion = 0 } = hello;
  if (maxWireVersion < wireVersionMin) throw new MongoServerTooOldError(maxWireVersion);
  const isSharded = msg === "isdbgrid";
  if (setName === undefined && !isSharded) throw new MongoStandaloneServerError();
  return { isSharded };
};
