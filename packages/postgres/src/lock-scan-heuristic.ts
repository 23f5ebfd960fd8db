// Completing jobs must lock more rows than the jobs if a sequence ends at a later job or other jobs wait for it. A scan for
// such rows reads every job, which is wasted if jobs are single. If there is no scan and there are such rows, the update
// is undone and repeated. So a call scans first while scans find rows, and for a while after that.

export interface LockScanHeuristic {
  readonly isWorthIt: boolean;
  /** After each call: whether it found rows to lock. */
  learn(found: boolean): void;
}

/** After this number of calls in a row that found no rows, calls do not scan any more. */
const scansMax = 100;

export const createLockScanHeuristic = (): LockScanHeuristic => {
  let left = 0;
  return {
    get isWorthIt() {
      return left > 0;
    },
    learn: (found) => {
      if (found) left = scansMax;
      else if (left > 0) left -= 1;
    },
  };
};
