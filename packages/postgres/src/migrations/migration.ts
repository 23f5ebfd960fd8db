import { createHash } from "node:crypto";
import type { StoreNames } from "../store-names.ts";

/** A step from one released schema to the next, as literal SQL. A test freezes the checksum of each. */
export interface Migration {
  readonly name: string;
  readonly sql: readonly string[];
}

export const statementsOf = ({ sql }: Migration, { schema, idType }: StoreNames): string[] =>
  sql.map((text) => text.replaceAll("{schema}", () => schema).replaceAll("{id}", () => idType));

/** Of the text that was applied, so that two processes with different options do not share a schema. */
export const checksumOf = (statements: readonly string[]): string =>
  createHash("sha256").update(statements.join(";\n")).digest("hex");
