// Where a key stands after its turn: in the line, away from it until a time, or forgotten.
import type { BatchCondition } from "queuert/internal";
import { toInstant } from "../instants.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import type { Line } from "./due-jobs.ts";
import type { KeyInLine } from "./read-line.ts";

/** Why a key cannot start a job: it is full, it has no tokens, or something else. */
export const keptBack = { no: 0, full: 1, withoutTokens: 2 } as const;

export interface Turn {
  readonly room: number;
  /** The place in the line of a key that has started a job. */
  readonly turn: number;
  readonly batch?: BatchCondition;
}

/** The values of a line for a statement. */
export const placeOf = ([typeName, limitName = "", key = ""]: Line): readonly [
  typeName: string,
  limitName: string,
  key: string,
] => [typeName, limitName, key];

/** The jobs of a key in its turn. */
export interface CountOfTurn {
  started: number;
  /** Of its weight, those that earlier acquisitions have started, and those that this one may start. */
  used: number;
  left: number;
}

/** Where a key stands after its turn. */
export type Place =
  | { readonly kind: "in line" }
  | {
      readonly kind: "away";
      readonly until: number;
      readonly why: (typeof keptBack)[keyof typeof keptBack];
    }
  | { readonly kind: "forgotten" };

const statements = ({ limitTurn }: TableNames) => ({
  leaveLine: `
UPDATE ${limitTurn} SET look_at = ?, kept_back = ?, turn = coalesce(?, turn), used = 0
WHERE type_name = ? AND limit_name = ? AND key = ?`,
  stayInLine: `UPDATE ${limitTurn} SET turn = coalesce(?, turn), used = ? WHERE type_name = ? AND limit_name = ? AND key = ?`,
  forget: `DELETE FROM ${limitTurn} WHERE type_name = ? AND limit_name = ? AND key = ?`,
});

/** Stores where a key stands after its turn. */
export const createWritePlace = (names: TableNames) => {
  const sql = statements(names);
  return (
    session: Session,
    { line }: KeyInLine,
    { turn, batch }: Turn,
    { started, used, left }: CountOfTurn,
    place: Place,
  ): void => {
    const of = placeOf(line);
    const last = started > 0 ? turn : null;
    const isCut = batch === undefined && started < left;
    if (place.kind === "forgotten") session.run(sql.forget, ...of);
    else if (place.kind === "away") {
      session.run(sql.leaveLine, toInstant(place.until), place.why, last, ...of);
    } else if (last !== null && isCut) session.run(sql.stayInLine, null, used + started, ...of);
    else if (last !== null) session.run(sql.stayInLine, last, 0, ...of);
  };
};
