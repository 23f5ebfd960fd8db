import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";

export interface FreeDeduplicationKey {
  /** Whether any unfinished sequence has a key. */
  readonly needed: (session: Session) => boolean;
  readonly free: (session: Session, sequenceId: string) => void;
}

/** A finished sequence no longer stands for its key, unless `"all"` asks for finished ones too. */
export const createFreeDeduplicationKey = ({ job }: TableNames): FreeDeduplicationKey => {
  const any = `SELECT 1 FROM ${job} WHERE deduplication_open = 1 LIMIT 1`;
  const free = `UPDATE ${job} SET deduplication_open = 0 WHERE id = ? AND deduplication_open = 1`;
  return {
    needed: (session) => session.get(any) !== undefined,
    free: (session, sequenceId) => {
      session.run(free, sequenceId);
    },
  };
};
