/** One step of the schema. Frozen once released: a test has the checksum of its text. */
export interface Migration {
  readonly name: string;
  /** Statements with placeholders, as the first migration explains them. */
  readonly sql: string;
}

/** The statements of a migration for one table prefix and one type of ids. */
export const migrationSql = ({ sql }: Migration, prefix: string, idType: string): string => {
  // Strict tables know no other text type.
  const isStrict = idType.toUpperCase() === "TEXT";
  return sql
    .replaceAll("{prefix}", prefix)
    .replaceAll("{id}", idType)
    .replaceAll("{strict}", isStrict ? " STRICT" : "")
    .replaceAll("{,strict}", isStrict ? ", STRICT" : "");
};
