import { PgInvalidOptionError } from "./errors.ts";

/** The differences between installations in the text of statements and migrations. */
export interface StoreNames {
  /** The schema's name as the user gave it. */
  readonly schemaName: string;
  /** The same, quoted: safe in any statement, and independent of the session's `search_path`. */
  readonly schema: string;
  /** The SQL type of ids as the user gave it. */
  readonly idTypeName: string;
  /** The same as statements name it, independent of the session's `search_path`. */
  readonly idType: string;
}

// PostgreSQL cuts longer names off, silently.
const identifierBytesMax = 63;

/** Quotes a name so that it can only be read as that name. */
export const quoteIdentifier = (name: string, option: string): string => {
  const bytes = typeof name === "string" ? Buffer.byteLength(name) : 0;
  if (bytes === 0 || bytes > identifierBytesMax || name.includes("\0")) {
    throw new PgInvalidOptionError(option, `a name of 1 to ${identifierBytesMax} bytes`);
  }
  return `"${name.replaceAll('"', '""')}"`;
};

// Types stand in statements unquoted. Words of the grammar need no schema. Other names of `pg_catalog` get one, so that no type
// of the same name in another schema of the session's path is used.
const grammarTypes =
  /^(smallint|integer|int|bigint|numeric|decimal|char|character|varchar)( ?\(\d{1,4}\))?$/i;
const catalogTypes = /^(uuid|text|int2|int4|int8|bpchar|numeric|name|bytea|oid)( ?\(\d{1,4}\))?$/i;
const typeWithSchema = /^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*( ?\(\d{1,4}\))?$/i;

const qualifiedType = (idType: string): string => {
  if (grammarTypes.test(idType) || typeWithSchema.test(idType)) return idType;
  if (catalogTypes.test(idType)) return `pg_catalog.${idType}`;
  throw new PgInvalidOptionError(
    "idType",
    'the name of an SQL type, such as "uuid" or "text", or one with its schema, such as "public.job_key"',
  );
};

export const createStoreNames = (schema: string, idType: string): StoreNames => ({
  schemaName: schema,
  schema: quoteIdentifier(schema, "schema"),
  idTypeName: idType,
  idType: qualifiedType(idType),
});
