import type { DeleteSequencesResult } from "queuert/internal";
import { toStateJobReference, toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const deleteSequences = (db: PgDatabase): PgState["deleteSequences"] => {
  const remove = db.routine("delete_sequences", { root_ids: "id[]" });
  return async ({ context, rootSequenceIds }): Promise<DeleteSequencesResult> => {
    if (rootSequenceIds.length === 0) return { kind: "deleted", jobCount: 0, running: [] };
    const rows = await remove({ root_ids: db.ids(rootSequenceIds) }, context);
    const ofKind = (kind: string): typeof rows => rows.filter((row) => row["kind"] === kind);
    const notRoots = ofKind("not_root");
    if (notRoots.length > 0) {
      return { kind: "notRoots", sequenceIds: notRoots.map((row) => toText(row["detail"])) };
    }
    const blocking = ofKind("blocking");
    if (blocking.length > 0) {
      const edges = blocking.map((row) => ({
        jobId: String(row["id"]),
        sequenceId: toStateJobReference(row).sequenceId,
        blockerSequenceId: toText(row["detail"]),
        index: Number(row["place"]),
      }));
      return { kind: "blocking", edges };
    }
    const jobCount = Number(ofKind("deleted")[0]?.["count"] ?? 0);
    return { kind: "deleted", jobCount, running: ofKind("running").map(toStateJobReference) };
  };
};
