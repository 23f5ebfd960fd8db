// The path that routines are pinned to: `pg_catalog` and the caller's temporary schema last. Functions and operators in any
// other schema are not found. If ids have a type of an extension, its operators are needed, so its schema comes
// between the two. The schema is refused if every role may create objects in it.
import { PgInvalidOptionError } from "../errors.ts";
import type { PgRow } from "../state-provider.ts";
import { quoteIdentifier, type StoreNames } from "../store-names.ts";

type Query = (sql: string, params?: readonly (string | null)[]) => Promise<readonly PgRow[]>;

/** For statements that are not in a routine: migrations, and the comparison of schemas. */
export const pinPathSql = "SET LOCAL search_path = pg_catalog, pg_temp";

// A domain is compared by the operators of the type that it is made of.
const baseTypeSql = `
  WITH RECURSIVE base AS (
    SELECT t.oid, t.typbasetype, t.typnamespace FROM pg_catalog.pg_type t
    WHERE t.oid OPERATOR(pg_catalog.=) pg_catalog.to_regtype($1::pg_catalog.text)
    UNION ALL
    SELECT t.oid, t.typbasetype, t.typnamespace FROM base b
    JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) b.typbasetype
  )
  SELECT n.nspname::pg_catalog.text AS schema,
    pg_catalog.has_schema_privilege('public', n.oid, 'CREATE')::integer AS is_open
  FROM base b JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) b.typnamespace
  WHERE b.typbasetype OPERATOR(pg_catalog.=) 0::pg_catalog.oid`;

/** @throws QUEUERT_PG_INVALID_OPTION */
export const routinePath = async (query: Query, { idType }: StoreNames): Promise<string> => {
  const [base] = await query(baseTypeSql, [idType]);
  // A type that does not exist is named by the statement that uses it.
  const schema = base === undefined ? "pg_catalog" : String(base["schema"]);
  if (schema === "pg_catalog") return "pg_catalog, pg_temp";
  if (Number(base?.["is_open"]) === 1) {
    throw new PgInvalidOptionError(
      "idType",
      `a type in a schema that is closed to other roles, because its operators run with the rights of the worker ` +
        `(run \`REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC\`)`,
    );
  }
  return `pg_catalog, ${quoteIdentifier(schema, "idType")}, pg_temp`;
};
