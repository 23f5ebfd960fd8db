// After a restore the checker is told less, and all that it is told still has to hold.
import { describe, expect, it } from "vitest";
import { check } from "../src/checker/check.ts";
import type { HistoryEntry } from "../src/checker/history.ts";
import { unexcused, withoutForgotten } from "../src/conductor/forget.ts";
import { aHistory, aJob, began, instant } from "./checker/histories.ts";

const started = (path: string, at: number): HistoryEntry => ({
  ...{ kind: "started", at: instant(at), sequenceId: path, path },
});

/** At 5 s the store was brought back to how it was at 2 s. */
const rewinds = [{ to: instant(2_000), at: instant(5_000) }];
const isRewound = { isRewound: true, isStepped: false };
const rulesOf = (entries: readonly HistoryEntry[], excuse = isRewound): readonly string[] => {
  const history = aHistory({ jobs: [], entries: withoutForgotten(entries, rewinds) });
  return unexcused(check(history), excuse).map(({ rule }) => rule);
};

describe("a restored store", () => {
  it("may have forgotten a start after the backup", () => {
    expect(rulesOf([started("since", 3_000)])).toEqual([]);
  });

  it.each([1_000, 60_000])("has a start of %i ms after the beginning", (at) => {
    expect(rulesOf([started("kept", at)])).toEqual(["a committed start exists"]);
  });

  it("keeps calls that began, and runs", () => {
    const ran = began("a", { at: instant(3_000) });
    expect(withoutForgotten([ran, started("a", 3_000)], rewinds)).toEqual([ran]);
  });

  it("may give a token twice, which no other store may", () => {
    const twice = [began("a"), began("a", { process: "v" })];
    const history = aHistory({ jobs: [aJob("a")], entries: twice });
    const rule = "each attempt has a token of its own";
    const found = check(history).filter((one) => one.rule === rule);
    expect(found).toHaveLength(1);
    expect(unexcused(found, isRewound)).toEqual([]);
    expect(unexcused(found, { isRewound: false, isStepped: true })).toEqual(found);
  });
});
