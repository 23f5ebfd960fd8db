// The actions of a job of the load. They are in the job's own input, so that every process and the
// checker know them.
import type { Random } from "../random.ts";

export interface Plan {
  /**
   * Unique within a run: it names the job independently of its id. Names in a tree begin with the
   * root's name and a dot.
   */
  readonly path: string;
  /** Throws while `attempt` is not above this. */
  readonly failTimes: number;
  /** Does nothing until its signal says that the time is up, while `attempt` is not above this. */
  readonly hangTimes: number;
  /** Asks so many times to be run again later. */
  readonly reschedules: number;
  /** How it gives its outcome. */
  readonly mode: "value" | "callback" | "atomic" | "staged";
  readonly workMs: number;
  /** Throws after `complete`, in its first so many attempts. */
  readonly throwsAfterComplete: number;
  /** Fails for good in its first attempt, until it is repaired. */
  readonly isHopeless: boolean;
  /** Throws until it is repaired: its attempts are used up before that. */
  readonly isBroken: boolean;
  readonly priority: number;
  readonly afterMs: number;
  /** Whether it is scheduled for an instant instead, this much later than the call. */
  readonly isAt: boolean;
  /** That instant, in the input of the job that was asked for. */
  readonly at?: number;
  /** Only where a sequence starts. */
  readonly deduplication: {
    readonly key: string;
    readonly strategy: "completed" | "all";
    readonly windowMs: number | null;
  } | null;
  /** The sequences it waits for; null for none. */
  readonly blockers: readonly Plan[] | null;
  readonly onBlockerFailure: "wait" | "fail";
  readonly next: Plan | null;
}

const modes = ["value", "callback", "atomic", "staged"] as const;

/** Further ahead than a timer of 32 bits reaches. Such a job runs only if it is triggered. */
export const farAheadMs: number = 40 * 24 * 3_600_000;

/** Whether completing the job writes a row. */
export const writesRow = ({ mode }: Plan): boolean => mode !== "value";

/** Whether it is completed in a transaction of its own. */
export const usesCallback = (plan: Plan): boolean =>
  writesRow(plan) || (plan.next !== null && plan.next.blockers !== null);

/** One sequence of any shape. `depth` bounds how much follows from it. */
export const randomPlan = (random: Random, path: string, depth: number): Plan => ({
  path,
  failTimes: random.chance(0.25) ? 1 + random.below(3) : 0,
  hangTimes: random.chance(0.03) ? 1 : 0,
  reschedules: random.chance(0.15) ? 1 + random.below(2) : 0,
  mode: random.pick(modes),
  workMs: random.chance(0.2) ? random.below(900) : random.below(40),
  throwsAfterComplete: random.chance(0.1) ? 1 : 0,
  isHopeless: random.chance(0.04),
  isBroken: random.chance(0.03),
  priority: random.chance(0.2) ? random.below(5) - 2 : 0,
  afterMs: random.chance(0.2) ? random.below(1_500) : random.chance(0.03) ? farAheadMs : 0,
  isAt: random.chance(0.3),
  deduplication: null,
  blockers:
    depth > 0 && random.chance(0.3)
      ? Array.from({ length: 1 + random.below(3) }, (_, index) =>
          randomPlan(random, `${path}.b${index}`, depth - 1),
        )
      : null,
  onBlockerFailure: random.pick(["wait", "fail"]),
  next: depth > 0 && random.chance(0.5) ? randomPlan(random, `${path}.n`, depth - 1) : null,
});

/** The plan of a whole tree, some with one of few keys. */
export const randomTree = (random: Random, path: string): Plan => {
  const plan = randomPlan(random, path, 3);
  if (!random.chance(0.3)) return plan;
  // Keys of finished sequences stay taken under "all": more of them, or they would all be taken soon.
  // Some stand for their key only for a while: keys of their own, for two that are unfinished may have the same one.
  const windowMs = random.chance(0.3) ? 200 + random.below(3_000) : null;
  const kind = windowMs === null ? "" : "window-";
  const deduplication = random.chance(0.3)
    ? ({ key: `${kind}all-${random.below(8)}`, strategy: "all", windowMs } as const)
    : ({ key: `${kind}key-${random.below(3)}`, strategy: "completed", windowMs } as const);
  return { ...plan, deduplication };
};
