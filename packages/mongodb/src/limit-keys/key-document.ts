// Keys of limits, one document each, and the turns that belong to no job.
import {
  boundsOfKey,
  type JobLimitKey,
  type LimitKeyReference,
  type StateKeyBounds,
} from "queuert/internal";
import type { JobDocument } from "../job-document.ts";
import type { LimitDocument } from "../limit-document.ts";

/** Whether the key is full and a due job of it waits. If its limit has another name than the type, types may share the key. */
export type KeptBack = "no" | "own" | "shared";
export const keptBackValues: readonly KeptBack[] = ["no", "own", "shared"];

/** A look at the jobs of a type under a key. */
interface Look {
  readonly limitName: string;
  /** The id of the key's document. */
  readonly keyId: string;
  readonly lookType?: string | undefined;
  /** Absent: only a turn of a job is a reason to look. */
  readonly lookAt?: Date | undefined;
  readonly keptBack?: KeptBack | undefined;
  /** Among the looks of one time. */
  readonly turnPlace?: number | undefined;
  /** How many jobs of its weight it has started in this turn. Absent: none. */
  readonly turnUsed?: number | undefined;
}

/** A key, with the look at the jobs of the type that its limit is named after. Looks of other types are documents of their own. */
export interface LimitKeyDocument extends Look {
  readonly _id: string;
  /** Absent in a document that is a look alone. */
  readonly key?: string | undefined;
  readonly bounds?: StateKeyBounds | null | undefined;
  /** It may have ended. `until` null: until it is resumed. */
  readonly pause?: { readonly until: Date | null; readonly note: string | null } | null | undefined;
  /** When the tokens of the rate are back, in microseconds. */
  readonly backAtUs?: number | null | undefined;
  /** The acquisition that has the key alone, and until when at most. */
  readonly heldBy?: string | undefined;
  readonly heldUntil?: Date | undefined;
  /** The time of the last change by an operator. */
  readonly setAt?: Date | undefined;
  readonly removeAt?: Date | undefined;
}

export const keyIdOf = ({ limitName, key }: LimitKeyReference): string =>
  JSON.stringify([limitName, key]);

export const referenceOf = (keyId: string): LimitKeyReference => {
  // Made by `keyIdOf` above.
  const [limitName, key] = JSON.parse(keyId) as readonly [string, string];
  return { limitName, key };
};

/** The id of the look of another type than the one that the limit is named after. */
export const lookIdOf = (keyId: string, typeName: string): string =>
  JSON.stringify([keyId, typeName]);

/** The fields of a job under a key. */
export const keyFields = (
  limitKey: JobLimitKey,
): Pick<JobDocument, "limitName" | "limitKeyId" | "startCost"> => ({
  limitName: limitKey.limitName,
  limitKeyId: keyIdOf(limitKey),
  ...(limitKey.cost !== 1 && { startCost: limitKey.cost }),
});

/** As an expression: a turn now, in a job under a key. */
export const turnNow: object = {
  $cond: [{ $eq: [{ $type: "$limitKeyId" }, "missing"] }, "$$REMOVE", "$$NOW"],
};

/** The pause of a key that has not ended. */
export const activePauseOf = (
  { pause }: Pick<LimitKeyDocument, "pause">,
  now: Date,
): NonNullable<LimitKeyDocument["pause"]> | null =>
  pause === undefined || pause === null || (pause.until !== null && pause.until <= now)
    ? null
    : pause;

export const effectiveBounds = (
  limit: Pick<LimitDocument, "perKey"> | undefined,
  { bounds }: Pick<LimitKeyDocument, "bounds">,
): StateKeyBounds => boundsOfKey(limit?.perKey, bounds ?? null);
