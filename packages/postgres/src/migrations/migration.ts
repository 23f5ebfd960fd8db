import { createHash } from "node:crypto";
import type { StoreNames } from "../store-names.ts";

/** A step from one released schema to the next. Frozen once released: a test compares its checksum. */
export interface Migration {
  readonly name: string;
  readonly statements: (names: StoreNames) => readonly string[];
}

/** Of the text that was applied, so that two processes with different options are told apart. */
export const checksumOf = (migration: Migration, names: StoreNames): string =>
  createHash("sha256").update(migration.statements(names).join(";\n")).digest("hex");
