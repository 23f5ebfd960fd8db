import { PgInvalidOptionError } from "./errors.ts";

/** What differs between installations in the text of statements and migrations. */
export interface StoreNames {
  /** The schema's name as the user gave it. */
  readonly schemaName: string;
  /** The same, quoted: safe in any statement, and independent of the session's `search_path`. */
  readonly schema: string;
  /** The SQL type of ids. */
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

// A type stands in statements unquoted: "uuid", "text", "varchar(26)", "public.ulid".
const typePattern = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?( ?\(\d{1,4}\))?$/i;

export const createStoreNames = (schema: string, idType: string): StoreNames => {
  if (!typePattern.test(idType)) {
    throw new PgInvalidOptionError("idType", 'the name of an SQL type, such as "uuid" or "text"');
  }
  return { schemaName: schema, schema: quoteIdentifier(schema, "schema"), idType };
};
