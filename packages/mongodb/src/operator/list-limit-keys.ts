// The keys of a limit with a document of their own, and those of jobs that wait or run. Ids of keys begin with their limit, so one
// limit is a range of each index.
import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { keyIdOf, referenceOf } from "../limit-keys/key-document.ts";
import { anyTurn } from "../limit-keys/read-turns.ts";
import { outside } from "../store.ts";

type ReadIds = (range: object, limit: number) => Promise<readonly string[]>;

interface Bounds {
  readonly from: string;
  readonly end: string;
  readonly limit: number;
}

export const listLimitKeys = (db: Database): NonNullable<OperatorStore["listLimitKeys"]> => {
  const ofJobs =
    (filter: object): ReadIds =>
    async (limitKeyId, limit) => {
      const options = { projection: { limitKeyId: 1 }, sort: { limitKeyId: 1 }, limit } as const;
      const found = await db.jobs.find(outside, { limitKeyId, ...filter }, options);
      return found.flatMap((job) => job.limitKeyId ?? []);
    };
  const sources: readonly ReadIds[] = [
    ofJobs({ status: "pending" }),
    ofJobs({ status: "running", ...anyTurn }),
  ];
  return async ({ limitName, fromKey, limit }) => {
    const first = keyIdOf({ limitName, key: "" });
    const bounds: Bounds = {
      from: fromKey === null ? first : keyIdOf({ limitName, key: fromKey }),
      // Each id goes on with a quotation mark, which is the character before "#".
      end: `${first.slice(0, -3)}#`,
      limit,
    };
    const ofDocuments: ReadIds = async (keyId, most) => {
      const options = { projection: { keyId: 1 }, sort: { keyId: 1 }, limit: most } as const;
      const found = await db.limitKeys.find(outside, { limitName, keyId }, options);
      return found.map((document) => document.keyId);
    };
    const lists = await Promise.all(
      [ofDocuments, ...sources].map((read) => distinctIds(read, bounds)),
    );
    return [...new Set(lists.flatMap((ids) => [...ids]))]
      .sort(byBytes)
      .slice(0, limit)
      .map((keyId) => referenceOf(keyId).key);
  };
};

/** The most rows of one command: a key may have any number of jobs, and the next command begins behind the last key. */
const rowsMax = 100;

const distinctIds = async (read: ReadIds, { from, end, limit }: Bounds): Promise<Set<string>> => {
  const ids = new Set<string>();
  let range: object = { $gte: from, $lt: end };
  while (ids.size < limit) {
    const found = await read(range, rowsMax);
    for (const id of found) ids.add(id);
    if (found.length < rowsMax) break;
    range = { $gt: found.at(-1), $lt: end };
  }
  return ids;
};

/** The order of the server. */
const byBytes = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));
