import { createHash } from "node:crypto";

/** A name for a statement whose text depends on what was asked for. */
export const listName = (prefix: string, sql: string): string =>
  `${prefix}_${createHash("sha1").update(sql).digest("hex").slice(0, 12)}`;
