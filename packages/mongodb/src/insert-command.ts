// Documents are inserted by the server's own command, in one message. The driver's `insertMany` measures
// each document before it writes it, which doubles its time; here the size is estimated. In transactions,
// where the driver repeats no insert and a failed one has stored nothing. Also for a caller that repeats
// it: the server then writes no record of the statement.
import type { MongoDatabase, MongoSession } from "./state-provider.ts";

// The server takes 16 MB.
const messageBytesMax = 12_000_000;
const messageDocumentsMax = 10_000;
// Names and all values that are not texts. A job has about 200 bytes of them.
const fieldBytes = 40;
// UTF-8 has at most three bytes for a unit of UTF-16.
const charBytesMax = 3;

/** Whether the documents, of texts, numbers and dates, are certain to fit into one message. */
export const fitsOneCommand = (documents: readonly object[]): boolean => {
  if (documents.length > messageDocumentsMax) return false;
  let bytes = 0;
  for (const document of documents) {
    for (const value of Object.values(document)) {
      bytes += fieldBytes;
      if (typeof value === "string") bytes += value.length * charBytesMax;
      else if (Array.isArray(value)) return false;
    }
  }
  return bytes <= messageBytesMax;
};

interface Refusal {
  readonly code: number;
  readonly errmsg: string;
}

interface InsertReply {
  readonly writeErrors?: readonly Refusal[];
  readonly writeConcernError?: Refusal;
}

export const insertByCommand = async (
  database: MongoDatabase,
  name: string,
  documents: readonly object[],
  session: MongoSession | undefined,
): Promise<void> => {
  const command = {
    insert: name,
    documents,
    ...(session === undefined && { writeConcern: { w: "majority" } }),
  };
  const options = session === undefined ? {} : { session };
  // The shape of every server's reply. A refused document is not an error to the driver, nor is a majority that was not reached.
  const reply = (await database.command(command, options)) as InsertReply;
  const refused = reply.writeErrors?.[0] ?? reply.writeConcernError;
  if (refused === undefined) return;
  throw Object.assign(new Error(refused.errmsg), { code: refused.code });
};
