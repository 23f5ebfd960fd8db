import { randomBytes } from "node:crypto";
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const storeDocumentId = "store";

export const createGetStoreId =
  (db: Database): StateAdapter<object, object, string>["getStoreId"] =>
  async () => {
    const document = await db.stores.findOneAndUpdate(
      outside,
      { _id: storeDocumentId },
      { $setOnInsert: { storeId: randomBytes(8).toString("hex") } },
      { upsert: true },
    );
    if (document === null) throw new Error("An upsert answered no document");
    return document.storeId;
  };
