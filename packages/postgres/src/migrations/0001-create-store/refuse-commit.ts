import type { Routine } from "../routine.ts";

/** The SQLSTATE that says so; classes from I to Z are nobody else's. */
export const refusedState = "QU001";

/** Breaks the transaction, so that the COMMIT that was sent behind does nothing. The error carries what was not written. */
export const refuseCommit = (): Routine => ({
  name: "refuse_commit",
  args: "p_detail text",
  returns: "text",
  body: `
BEGIN
  RAISE EXCEPTION 'Not committed: what was to be completed is no longer held.'
    USING ERRCODE = '${refusedState}', DETAIL = p_detail;
END`,
});
