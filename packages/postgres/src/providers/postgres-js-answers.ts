// A client may transform rows: `transform: postgres.camel` renames the columns of all its statements. The adapter's statements
// run in the user's transactions and are affected too, so their rows are read as the server has sent them.
import type { PendingQuery, Sql } from "postgres";
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow } from "../state-provider.ts";

type Query = PendingQuery<PgRow[]>;

export interface Answers {
  /** Before the query is sent. */
  ask(query: Query): Query;
  /** The rows of the query, by the names that the statement gives to columns. */
  read(answer: readonly PgRow[]): readonly PgRow[];
}

/** @throws QUEUERT_PG_INVALID_OPTION */
export const answersOf = ({ options }: Sql): Answers => {
  const { column, value, row } = options.transform;
  if (row.from !== undefined) {
    const expected = "a client without `transform.row`, which leaves nothing of the rows to read";
    throw new PgInvalidOptionError("sql", expected);
  }
  if (column.from === undefined && value.from === undefined) return asTheyAre;
  const rename = column.from ?? ((name: string) => name);
  return {
    // Values as bytes, which no transformation sees.
    ask: (query) => query.raw() as unknown as Query,
    read: (answer) => {
      const { columns } = answer as unknown as { readonly columns: readonly { name: string }[] };
      const rows = answer as unknown as readonly (readonly (Buffer | null)[])[];
      return rows.map((values) => byOwnNames(new Map(columns.map(toEntry(values))), rename));
    },
  };
};

const asTheyAre: Answers = { ask: (query) => query, read: (answer) => answer };

const toEntry =
  (values: readonly (Buffer | null)[]) =>
  ({ name }: { readonly name: string }, index: number): [string, string | null] => [
    name,
    values[index]?.toString("utf8") ?? null,
  ];

// The driver forgets the original name of a column, and the renaming cannot be reversed. So each name is renamed before it is
// read.
const byOwnNames = (
  values: ReadonlyMap<string, string | null>,
  rename: (name: string) => string,
): PgRow =>
  new Proxy<Record<string, unknown>>(
    {},
    { get: (_, name) => (typeof name === "string" ? values.get(rename(name)) : undefined) },
  );
