/** One page of a list. `nextCursor` is opaque; null on the last page. */
export interface Page<TItem> {
  readonly items: readonly TItem[];
  readonly nextCursor: string | null;
}

/** Lists are ordered by creation. */
export type PageOrder = "asc" | "desc";
