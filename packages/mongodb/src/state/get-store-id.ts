import { randomBytes } from "node:crypto";
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

const storeDocumentId = "store";

export const getStoreId =
  (db: Database): StateAdapter<object, object, string>["getStoreId"] =>
  async () => {
    const document = await db.stores.findOneAndUpdate(
      outside,
      { _id: storeDocumentId },
      { $setOnInsert: { storeId: randomBytes(8).toString("hex") } },
      { upsert: true },
    );
    if (document === null)
      throw new Error("The upsert of the store's identity returned no document");
    return document.storeId;
  };
