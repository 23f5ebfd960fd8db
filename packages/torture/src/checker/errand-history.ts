// The records about errands: jobs under keys, in batches, with given ids, and in plans of operators.
import type { Errand } from "../load/errand-types.ts";
import { errandRowPrefix } from "../load/errand-types.ts";
import type { StateJob } from "queuert";

interface Noted<TKind extends string> {
  readonly kind: TKind;
  readonly at: number;
}

/** One job in a call of a process function. */
export interface ErrandAttempt {
  readonly jobId: string;
  readonly leaseVersion: number;
  /** By the store's clock. */
  readonly acquiredAt: number;
  readonly scheduledAt: number;
}

/** The outcome that a process function gives one job. `later`: `retryAfterMs`. */
export type ErrandOutcome = "output" | "continued" | "error" | "later";

/** A process function began, with one job or with a batch. */
export interface ErrandsBegan extends Noted<"errandsBegan"> {
  readonly process: string;
  /** Of its own: no other call has it. */
  readonly call: string;
  readonly typeName: string;
  readonly attempts: readonly ErrandAttempt[];
}

/** That call gives the library these outcomes, in the order of its attempts. */
export interface ErrandsEnded extends Noted<"errandsEnded"> {
  readonly call: string;
  readonly outcomes: readonly ErrandOutcome[];
}

/** A start whose transaction is known to have committed. */
export interface ErrandsStarted extends Noted<"errandsStarted"> {
  readonly ids: readonly string[];
}

/** A call is about to start an errand with this id. */
export interface IdGiving extends Noted<"idGiving"> {
  readonly id: string;
  readonly name: string;
}

/** That call was answered. */
export interface IdGiven extends Noted<"idGiven"> {
  readonly askedAt: number;
  readonly id: string;
  readonly answeredId: string;
  readonly name: string;
  /** It has stored the sequence. */
  readonly isFirst: boolean;
}

/** An operator has a plan, which it is about to apply. */
export interface PlanMade extends Noted<"planMade"> {
  readonly plan: string;
  readonly action: "retry" | "trigger" | "cancel" | "delete";
  readonly ids: readonly string[];
  readonly count: number;
}

/** A call to apply it was answered, and not refused. */
export interface PlanApplied extends Noted<"planApplied"> {
  readonly plan: string;
  readonly done: number;
  readonly refused: number;
}

export type ErrandEntry =
  ErrandsBegan | ErrandsEnded | ErrandsStarted | IdGiving | IdGiven | PlanMade | PlanApplied;

export const errandOf = ({ input }: Pick<StateJob, "input">): Errand => JSON.parse(input) as Errand;

export const isErrandRow = ({ path }: { readonly path: string }): boolean =>
  path.startsWith(errandRowPrefix);
