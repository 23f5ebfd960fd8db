import type { TableNames } from "../names.ts";

/** One step of the schema. Frozen once released: a test knows the checksum of its text. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: (names: TableNames, idType: string) => string;
}
