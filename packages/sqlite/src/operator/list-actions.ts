import type { OperatorStore, StoredAction } from "queuert/internal";
import type { Database } from "../database.ts";

type ActionRow = readonly [
  id: string,
  action: string,
  user: string | null,
  filter: string | null,
  count: number,
  startedAt: number,
  finishedAt: number | null,
  done: number,
  refused: number,
];

export const listActions = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["listActions"]> => {
  const select = `
SELECT id, action, user, filter, count, started_at, finished_at, done, refused
FROM ${database.names.action} ORDER BY started_at DESC, id LIMIT +?`;
  return ({ limit }) =>
    database.read(undefined, (session) =>
      session.all<ActionRow>(select, limit).map(toStoredAction),
    );
};

const toStoredAction = (row: ActionRow): StoredAction => {
  const [id, action, user, filter, count, startedAt, finishedAt, done, refused] = row;
  return {
    ...{ id, action, user, filter, count, done, refused },
    startedAt: new Date(startedAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
  };
};
