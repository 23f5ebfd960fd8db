// Many documents inserted by the server's own command, in one message. The driver's `insertMany` measures each document
// before it writes it, which takes it as long as all else it does; here their size is estimated. Only in transactions:
// there no insert is repeated by itself, and one that fails has stored nothing.
import type { MongoDatabase, MongoSession } from "./driver.ts";

// The server takes 16 MB.
const bytesMax = 12_000_000;
const documentsMax = 10_000;

// Names and whatever is no text; a job has some 200 bytes of it.
const fieldBytes = 40;
// UTF-8 has no more for a unit of UTF-16.
const charBytesMax = 3;

/** Whether the documents, of texts, numbers, dates and the like, are certain to fit into one message. */
export const fitsOneCommand = (documents: readonly object[]): boolean => {
  if (documents.length > documentsMax) return false;
  let bytes = 0;
  for (const document of documents) {
    for (const value of Object.values(document)) {
      bytes += fieldBytes;
      if (typeof value === "string") bytes += value.length * charBytesMax;
      else if (Array.isArray(value)) return false;
    }
  }
  return bytes <= bytesMax;
};

interface InsertAnswer {
  readonly writeErrors?: readonly { readonly code: number; readonly errmsg: string }[];
}

export const insertByCommand = async (
  database: MongoDatabase,
  name: string,
  documents: readonly object[],
  session: MongoSession,
): Promise<void> => {
  // What every server answers to `insert`: documents that it refuses are no error to the driver.
  const answer = (await database.command({ insert: name, documents }, { session })) as InsertAnswer;
  const [refused] = answer.writeErrors ?? [];
  if (refused === undefined) return;
  throw Object.assign(new Error(refused.errmsg), { code: refused.code });
};
