import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listAttempts =
  (database: Database): InProcessOperatorMethod<"listAttempts"> =>
  async ({ jobIds }) =>
    database.read(undefined, "listAttempts", (store) =>
      jobIds.map((id) => store.byId.get(id)?.committed?.attempts ?? []),
    );
