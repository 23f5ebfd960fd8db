// Opaque cursors: users hand back the cursor of the last page. It holds its list and its order. A cursor of another list is
// therefore refused, and never returns a wrong page. A sum over its text refuses one that was changed on its way.
import { type CursorProblem, InvalidCursorError } from "../errors.ts";
import type { PageOrder } from "./page.ts";

export type CursorList = "jobs" | "sequences" | "examined" | "examinedSequences" | "dependants";

/** The place after an ordinal. */
export const encodeCursor = (list: CursorList, order: PageOrder, ordinal: number): string =>
  encode([1, list, order, ordinal]);

/** The ordinal to go on after; null for the first page. */
export const decodeCursor = (
  list: CursorList,
  order: PageOrder,
  cursor: string | null | undefined,
): number | null => decode(list, order, cursor, Number.isSafeInteger) as number | null;

/** The place after an id. */
export const encodeIdCursor = (list: CursorList, id: string): string =>
  encode([1, list, "asc", id]);

/** The id to go on after; null for the first page. */
export const decodeIdCursor = (
  list: CursorList,
  cursor: string | null | undefined,
): string | null =>
  decode(list, "asc", cursor, (place) => typeof place === "string") as string | null;

type Place = number | string;
type Parts = readonly [version: 1, list: CursorList, order: PageOrder, place: Place];

const encode = (parts: Parts): string => {
  const text = JSON.stringify(parts);
  return Buffer.from(`${text}${sumOf(text)}`).toString("base64url");
};

const decode = (
  list: CursorList,
  order: PageOrder,
  cursor: string | null | undefined,
  isPlace: (place: unknown) => boolean,
): Place | null => {
  if (cursor === null || cursor === undefined) return null;
  const parts = parse(cursor);
  const [version, ownList, ownOrder, place] = parts;
  // Base64 has several texts for the same bytes. Only one of them was given out.
  const expected = encode(parts as unknown as Parts);
  if (expected !== cursor) throw refused("changed", firstDifference(expected, cursor));
  if (version !== 1 || ownList !== list) throw refused("other_list");
  if (ownOrder !== order) throw refused("other_order");
  if (parts.length !== 4 || !isPlace(place)) throw refused("unreadable");
  return place as Place;
};

const parse = (cursor: unknown): readonly unknown[] => {
  if (typeof cursor !== "string") throw refused("unreadable");
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const end = text.lastIndexOf("]") + 1;
  try {
    const parts: unknown = JSON.parse(text.slice(0, end));
    if (Array.isArray(parts)) return parts;
  } catch (error) {
    throw refused("unreadable", notBase64(cursor), { cause: error });
  }
  throw refused("unreadable");
};

const refused = (
  reason: CursorProblem,
  position: number = 0,
  options?: ErrorOptions,
): InvalidCursorError => new InvalidCursorError({ reason, position }, options);

/** Where the text stops being one of base64. */
const notBase64 = (cursor: string): number => Math.max(0, cursor.search(/[^\w-]/));

const firstDifference = (expected: string, given: string): number => {
  let index = 0;
  while (index < expected.length && expected[index] === given[index]) index++;
  return index;
};

/** FNV-1a. It finds changes by accident; a cursor holds no right, and needs no signature. */
const sumOf = (text: string): string => {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  }
  return (sum >>> 0).toString(36);
};
