// The private SQLSTATEs of the routines, one meaning each. The SQL standard leaves classes that begin with I to Z to
// implementations.

/** Raised and caught inside a routine: there are more rows to lock than were found at first. Never reaches a client. */
export const moreRowsToLock = "QU001";

/** A completion whose COMMIT is already sent has lost a job. The error's detail contains the lost elements. */
export const notCommitted = "QU002";
