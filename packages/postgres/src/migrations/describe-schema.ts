// The objects of a schema as lines of text in a fixed order. Reviews read them as a snapshot, and `checkSchema` compares
// an installation with the schema that the library would create.
import type { PgRow } from "../state-provider.ts";

type Query = (sql: string, params?: readonly (string | null)[]) => Promise<readonly PgRow[]>;

const describeSql = `
  WITH n AS (
    -- Identifiers that need no quotes have none.
    SELECT quote_ident(nspname) || '.' AS prefix FROM pg_namespace
    WHERE oid = to_regnamespace($1::text)
  ), tables AS (
    SELECT c.oid, c.relname, c.reloptions FROM pg_class c
    WHERE c.relnamespace = to_regnamespace($1::text) AND c.relkind = 'r'
  )
  SELECT 1 AS part, t.relname AS name, 'table ' || t.relname || coalesce(
    ' with (' || array_to_string(t.reloptions, ', ') || ')', '') AS line
  FROM tables t
  UNION ALL
  SELECT 2, t.relname || '.' || a.attname, 'column ' || t.relname || '.' || a.attname || ' '
    || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN c.collname = 'C' THEN ' collate "C"' ELSE '' END
    || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
    || CASE WHEN a.attidentity <> '' THEN ' identity' ELSE '' END
    || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
  FROM tables t
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_collation c ON c.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
  UNION ALL
  SELECT 3, c.conname, 'constraint ' || t.relname || '.' || c.conname || ' '
    || pg_get_constraintdef(c.oid)
  FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid
  -- PostgreSQL 18 lists NOT NULL among the constraints; it is in the line of the column.
  WHERE c.contype <> 'n'
  UNION ALL
  SELECT 4, i.relname, 'index ' || replace(pg_get_indexdef(i.oid), ' ON ' || n.prefix, ' ON $schema.')
  FROM n CROSS JOIN tables t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid
  UNION ALL
  SELECT 5, p.proname, 'function ' || p.proname || '('
    || pg_get_function_identity_arguments(p.oid) || ') returns '
    || replace(pg_get_function_result(p.oid), 'job ' || n.prefix || 'job,', 'job $schema.job,')
    || ' ' || CASE p.provolatile WHEN 's' THEN 'stable' ELSE 'volatile' END
    || coalesce(' set ' || array_to_string(p.proconfig, ', '), '')
    || ' body ' || md5(replace(p.prosrc, $1::text, '$schema'))
  FROM n CROSS JOIN pg_proc p WHERE p.pronamespace = to_regnamespace($1::text)
  ORDER BY part, name, line`;

/** `schema` is quoted. It must not be in the search_path, or its objects are printed without it. */
export const describeSchema = async (query: Query, schema: string): Promise<readonly string[]> => {
  const rows = await query(describeSql, [schema]);
  return rows.map((row) => String(row["line"]));
};
