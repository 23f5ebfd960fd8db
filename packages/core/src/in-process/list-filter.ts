import type { JobCell } from "./job-cell.ts";

/** From inclusive, to exclusive. */
export const isCreatedWithin = (
  { createdAt }: JobCell,
  {
    createdFrom,
    createdTo,
  }: { readonly createdFrom: Date | null; readonly createdTo: Date | null },
): boolean =>
  (createdFrom === null || createdAt >= createdFrom.getTime()) &&
  (createdTo === null || createdAt < createdTo.getTime());
