// Opaque cursors: users hand back the cursor of the last page. It holds its list and its order. A cursor of another list is
// therefore refused, and never returns a wrong page.
import { InvalidCursorError } from "../errors.ts";
import type { PageOrder } from "./page.ts";

export type CursorList = "jobs" | "sequences" | "examined";

/** The place after an ordinal. */
export const encodeCursor = (list: CursorList, order: PageOrder, ordinal: number): string =>
  Buffer.from(JSON.stringify([1, list, order, ordinal])).toString("base64url");

/** The ordinal to go on after; null for the first page. */
export const decodeCursor = (
  list: CursorList,
  order: PageOrder,
  cursor: string | null | undefined,
): number | null => {
  if (cursor === null || cursor === undefined) return null;
  const parts = parse(cursor);
  if (
    !Array.isArray(parts) ||
    parts[0] !== 1 ||
    parts[1] !== list ||
    parts[2] !== order ||
    !Number.isSafeInteger(parts[3])
  ) {
    throw new InvalidCursorError();
  }
  return parts[3] as number;
};

const parse = (cursor: unknown): unknown => {
  if (typeof cursor !== "string") throw new InvalidCursorError();
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
  } catch (error) {
    throw new InvalidCursorError({ cause: error });
  }
};
