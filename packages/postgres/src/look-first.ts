// Completing jobs has to lock more than the jobs where a sequence ends at a later job or others wait for it. Looking for that
// first costs a read of every job, for nothing where jobs are single; finding it only by doing it costs the work
// twice. So a look precedes it while looks find something, and for a while after.

export interface LookFirst {
  readonly isWorthIt: boolean;
  /** After each call: whether it has found anything to lock. */
  learn(found: boolean): void;
}

/** So many calls in a row that find nothing, and it is not looked first any more. */
const looksMax = 100;

export const createLookFirst = (): LookFirst => {
  let left = 0;
  return {
    get isWorthIt() {
      return left > 0;
    },
    learn: (found) => {
      if (found) left = looksMax;
      else if (left > 0) left -= 1;
    },
  };
};
