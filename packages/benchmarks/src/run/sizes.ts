import type { Sizes } from "../cases/case.ts";

export const fullSizes: Sizes = {
  drainJobs: 20_000,
  warmUpJobs: 5_000,
  starts: 1_000,
  warmUpStarts: 3_000,
  bulkStarts: 20_000,
  warmUpBulks: 10,
  // Enough for a p99 that is not the slowest.
  latencyStarts: 300,
  latencyWarmUps: 500,
  steadySeconds: 5,
  finished: 1_000_000,
  scheduled: 200_000,
  blocked: 100_000,
  heldJobs: 100_000,
  idleSeconds: 30,
  limitMs: 10_000,
  heldLimitMs: 120_000,
};

/** For a look in under a minute: the same shapes, fewer of everything. */
export const quickSizes: Sizes = {
  drainJobs: 5_000,
  warmUpJobs: 1_000,
  starts: 200,
  warmUpStarts: 200,
  bulkStarts: 5_000,
  warmUpBulks: 2,
  latencyStarts: 30,
  latencyWarmUps: 30,
  steadySeconds: 2,
  finished: 100_000,
  scheduled: 20_000,
  blocked: 10_000,
  heldJobs: 20_000,
  idleSeconds: 8,
  limitMs: 4_000,
  heldLimitMs: 15_000,
};
