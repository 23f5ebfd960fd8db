import { describe, expect, it } from "vitest";
import { isFinished, jobStatuses, legalMoves } from "../src/model/status.ts";

describe("the table of legal moves", () => {
  it("reaches every status from a new job's, and an outcome from every status", () => {
    const reachable = (from: readonly (typeof jobStatuses)[number][]): Set<string> => {
      const seen = new Set(from);
      for (const status of seen) for (const next of legalMoves[status]) seen.add(next);
      return seen;
    };
    expect(reachable(["blocked", "pending"])).toEqual(new Set(jobStatuses));
    for (const status of jobStatuses) {
      const outcome = status === "cancelled" ? "cancelled" : "completed";
      expect(reachable([status])).toContain(outcome);
    }
  });

  it("lets nothing leave a completion or a cancellation, and a failure only to be tried again", () => {
    expect(legalMoves.completed).toEqual([]);
    expect(legalMoves.cancelled).toEqual([]);
    expect(legalMoves.failed.filter(isFinished)).toEqual([]);
    expect(legalMoves.pending).not.toContain("blocked");
  });
});
