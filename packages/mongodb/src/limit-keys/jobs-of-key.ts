// The order of the due jobs of a key, and the moment of their batch.
import type { BatchCondition } from "queuert/internal";
import type { KeyedJob } from "./read-keys.ts";

/** Of due jobs. One that is scheduled is a turn when it is due. */
export const ripeAt = (
  jobs: readonly KeyedJob[],
  { minSize, maxWaitMs }: BatchCondition,
): number =>
  jobs.length >= minSize
    ? 0
    : Math.min(
        ...jobs.map(({ scheduledAt, releasedAt }) =>
          Math.max(scheduledAt.getTime(), releasedAt?.getTime() ?? 0),
        ),
      ) + maxWaitMs;

// Priority, then due time, then creation. Under aging, priority and due time are one number.
export const inOrder =
  (agingMs: number | null) =>
  (left: KeyedJob, right: KeyedJob): number => {
    const later = left.scheduledAt.getTime() - right.scheduledAt.getTime();
    const higher = (right.keyPriority ?? 0) - (left.keyPriority ?? 0);
    const first = agingMs === null ? higher || later : later + higher * agingMs || higher;
    return first || left.ordinal - right.ordinal;
  };
