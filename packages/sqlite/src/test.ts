// `@queuert/sqlite/test`: time travel for the tests of an application, on its own store.
import { assertNotInProduction, InvalidOptionError, type TimeTravel } from "queuert/internal";
import { type AdapterStore, storeOf } from "./adapter-store.ts";
import { writeWith } from "./migrations/migrate.ts";
import { type Session, sessionOf } from "./session.ts";

/**
 * For the option `timeTravel` of `createTestQueuert`: moves every instant that the store holds. Never on a store that an
 * application uses.
 *
 * @example
 * ```ts
 * const test = await createTestQueuert({
 *   jobTypeDefinitions: jobTypes,
 *   stateAdapter,
 *   timeTravel: createSqliteTimeTravel(stateAdapter),
 * });
 * ```
 *
 * @throws QUEUERT_INVALID_OPTION
 */
export const createSqliteTimeTravel = (stateAdapter: object): TimeTravel => {
  assertNotInProduction("createSqliteTimeTravel");
  const store = storeOf(stateAdapter);
  if (store === undefined) {
    const remedy = "give the adapter that `createSqliteStateAdapter` returned, not a copy";
    throw new InvalidOptionError("stateAdapter", stateAdapter, remedy);
  }
  return { shiftTimes: (ms) => shiftTimes(store, ms) };
};

/** Columns of instants, by their names: those of later migrations are among them. */
const isInstant = (column: string): boolean => /(^|_)(at|until|at_us)$/.test(column);

/** Its unit: a millisecond, or a microsecond. */
const unitsPerMs = (column: string): number => (column.endsWith("_us") ? 1_000 : 1);

/** Further than any instant: on the way, no moved row meets one that is still to move. */
const asideMs = 1e15;

const shiftTimes = ({ provider, names }: AdapterStore, ms: number): Promise<void> =>
  writeWith(provider, (connection) => {
    const session = sessionOf(connection);
    const { prefix: _, migration: _applied, ...tables } = names;
    for (const table of Object.values(tables)) {
      const columns = instantsOf(session, table);
      if (columns.length === 0) continue;
      const move = (ms: number): void => {
        const moves = columns.map((column) => `${column} = ${column} - ?`).join(", ");
        const by = columns.map((column) => ms * unitsPerMs(column));
        session.run(`UPDATE ${table} SET ${moves}`, ...by);
      };
      move(asideMs);
      move(ms - asideMs);
    }
  });

const instantsOf = (session: Session, table: string): readonly string[] =>
  session
    .all<[string]>("SELECT name FROM pragma_table_info(?)", table)
    .map(([column]) => column)
    .filter(isInstant);
