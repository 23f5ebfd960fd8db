// The attempt of a running job that ends without completing it, as an expression of the update that ends it. The attempts are in
// the job's document: they are written with it, and deleted with it.
import {
  cancelledAttemptError,
  lastAttemptsKept,
  leaseExpiredError,
  type StoredAttempt,
} from "queuert/internal";

interface AttemptEnd {
  readonly outcome: StoredAttempt["outcome"];
  /** Expressions. */
  readonly error: unknown;
  readonly nextAt: unknown;
}

/** The attempts with the one that ends: the first, and the last ones. */
export const withAttempt = ({ outcome, error, nextAt }: AttemptEnd): object => ({
  $let: {
    vars: {
      all: {
        $concatArrays: [
          { $ifNull: ["$attempts", []] },
          [
            {
              leaseVersion: "$leaseVersion",
              attempt: "$attempt",
              workerId: { $ifNull: ["$leasedBy", ""] },
              dueAt: "$scheduledAt",
              startedAt: "$lastAttemptAt",
              endedAt: "$$NOW",
              outcome,
              nextAt,
              error,
            },
          ],
        ],
      },
    },
    in: {
      $cond: [
        { $lte: [{ $size: "$$all" }, lastAttemptsKept + 1] },
        "$$all",
        { $concatArrays: [{ $slice: ["$$all", 1] }, { $slice: ["$$all", -lastAttemptsKept] }] },
      ],
    },
  },
});

/** The error of an attempt whose lease was not renewed in time, as an expression. */
export const leaseExpired: object = {
  $concat: leaseExpiredError("$")
    .split(/(\$)/)
    .map((part) => (part === "$" ? { $ifNull: ["$leasedBy", "?"] } : { $literal: part })),
};

/** The attempts with the one whose lease has expired, as an expression. */
export const expiredAttempt: object = withAttempt({
  outcome: "lease_expired",
  error: leaseExpired,
  nextAt: "$scheduledAt",
});

/** The attempts with the one that a cancellation ends, as an expression. */
export const cancelledAttempt: object = withAttempt({
  outcome: "cancelled",
  error: { $literal: cancelledAttemptError },
  nextAt: null,
});
