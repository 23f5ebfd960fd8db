// Plans of operators, applied by two operators at the same time and once more: one of them applies it, and the others are refused.
import { createOperator, type Operator, type PlanAction, PlanRefusedError } from "queuert/operator";
import type { Random } from "../random.ts";
import type { LoadSurroundings } from "./run-plan.ts";

const failedMax = 5;
let plans = 0;

export class Plans {
  readonly #surroundings: LoadSurroundings;
  readonly #random: Random;
  /** They know of each other's applied plans through the store. */
  readonly #operators: readonly [Operator, Operator];

  constructor(surroundings: LoadSurroundings, random: Random) {
    this.#surroundings = surroundings;
    this.#random = random;
    const options = { queuert: surroundings.queuert, secret: "torture" };
    this.#operators = [createOperator(options), createOperator(options)];
  }

  /** Changes jobs that are not due. No other call changes them. */
  async change(ids: readonly string[]): Promise<void> {
    const { note, now } = this.#surroundings;
    const action = this.#random.pick(["trigger", "cancel", "delete"] as const);
    if (action === "delete") {
      for (const rootSequenceId of ids) note({ kind: "deleting", at: now(), rootSequenceId });
    }
    await this.#apply(action, ids);
  }

  /** Retries failed jobs of trees. */
  async retry(): Promise<void> {
    const { queuert, note, now } = this.#surroundings;
    const { items } = await queuert.listJobs({ status: "failed", limit: failedMax });
    const failed = items.flatMap((job) =>
      job.status === "failed"
        ? [{ jobId: job.id, sequenceId: job.sequenceId, failedAt: job.failedAt.getTime() }]
        : [],
    );
    if (failed.length === 0) return;
    for (const one of failed) note({ kind: "retrying", at: now(), ...one });
    const ids = failed.map(({ jobId }) => jobId);
    const refused = await this.#apply("retry", ids);
    if (refused === null) return;
    for (const one of failed) {
      if (!refused.has(one.jobId)) note({ kind: "retried", at: now(), ...one });
    }
  }

  /** Answers the jobs that were left as they are; null if that is not known. */
  async #apply(action: PlanAction, ids: readonly string[]): Promise<ReadonlySet<string> | null> {
    const { note, now, onError } = this.#surroundings;
    const [first, second] = this.#operators;
    const { token, count } = await first.plan({ action, ids });
    const plan = `${this.#surroundings.processName}-plan${plans++}`;
    note({ kind: "planMade", at: now(), plan, action, ids, count });
    let left: Set<string> | null = null;
    const apply = async (operator: Operator): Promise<void> => {
      try {
        const { done, refused, refusedJobs } = await operator.apply({ token, count });
        note({ kind: "planApplied", at: now(), plan, done, refused });
        const changed =
          done === 0 ? [] : ids.filter((id) => !refusedJobs.some((job) => job.id === id));
        left = new Set(ids.filter((id) => !changed.includes(id)));
      } catch (error) {
        if (!(error instanceof PlanRefusedError)) onError(`apply ${action}`, error);
      }
    };
    await Promise.all([apply(first), apply(second)]);
    await apply(second);
    return left;
  }
}
