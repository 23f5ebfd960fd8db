import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listProgress =
  (database: Database): InProcessOperatorMethod<"listProgress"> =>
  async ({ jobIds }) =>
    database.read(undefined, "listProgress", (store) =>
      jobIds.map((id) =>
        store.byId.get(id)?.committed === undefined ? undefined : database.logs.get(id)?.progress,
      ),
    );
