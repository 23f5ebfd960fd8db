// The judgement of a run: the rules of the checker, and two of the conductor's own.
import { check } from "../checker/check.ts";
import type { History, Violation } from "../checker/history.ts";
import { unexcused } from "./forget.ts";
import { describeUnfinished } from "./until-quiet.ts";

export interface RunFacts {
  readonly history: History;
  /** Processes that crashed, or did not stop when they were asked to. */
  readonly troubles: readonly string[];
  /** Infinite: some jobs have not ended. */
  readonly quietAfterMs: number;
}

export const judge = (
  { history, troubles, quietAfterMs }: RunFacts,
  excuse: Parameters<typeof unexcused>[1],
): readonly Violation[] =>
  unexcused(
    [
      ...check(history),
      ...troubles.map((detail) => ({ rule: "no process crashes, and each stops", detail })),
      ...(Number.isFinite(quietAfterMs)
        ? []
        : [{ rule: "all is quiet in time", detail: describeUnfinished(history) }]),
    ],
    excuse,
  );
