// The queue of a job under a key: the name of its limit, its key and its type, each behind the character 1. No name of a job
// type sorts before the character 2, so a comparison tells the two apart. The queues of a key, and those of a limit, are a
// range of names.
import type { JobLimitKey } from "queuert/internal";

const escaped = (text: string): string =>
  text.replaceAll("\u0002", "\u00022").replaceAll("\u0001", "\u00021");

/** The name with which the queues of a key begin. */
export const keyIdOf = ({ limitName, key }: Pick<JobLimitKey, "limitName" | "key">): string =>
  `\u0001${escaped(limitName)}\u0001${escaped(key)}\u0001`;

/** Null: the job stands under no key. */
export const queueOf = (
  typeName: string,
  limitKey: JobLimitKey | null | undefined,
): string | null =>
  limitKey === null || limitKey === undefined ? null : keyIdOf(limitKey) + escaped(typeName);

/** Null is one. */
export const costOf = (limitKey: JobLimitKey | null | undefined): number | null =>
  limitKey?.cost === 1 ? null : (limitKey?.cost ?? null);
