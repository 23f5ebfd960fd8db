import type { AcquireJobsParams } from "queuert/internal";

type AcquiredType = AcquireJobsParams["types"][number];

/**
 * Divides a limit: first equally between the types, then the remainder between those that have more jobs. A type with a
 * long backlog therefore takes only room that no other type uses.
 */
export const shareLimit = (
  types: readonly AcquiredType[],
  limit: number,
  acquire: (type: AcquiredType, count: number) => number,
): void => {
  const each = Math.ceil(limit / types.length);
  let roomLeft = limit;
  const wantMore: { readonly type: AcquiredType; readonly count: number }[] = [];
  for (const type of types) {
    const count = Math.min(type.limit, each, roomLeft);
    if (count <= 0) continue;
    const acquired = acquire(type, count);
    roomLeft -= acquired;
    // A batch of one key is not filled up with another.
    const isWhole = type.batch?.perKey === true && acquired > 0;
    if (acquired === count && type.limit > count && !isWhole) wantMore.push({ type, count });
  }
  for (const { type, count } of wantMore) {
    const more = Math.min(type.limit - count, roomLeft);
    if (more > 0) roomLeft -= acquire(type, more);
  }
};
