// Which plan is open. Any page may open one.
import { signal, type Signal } from "@preact/signals";
import type { PlanRequest, Right } from "../../src/api-types.ts";
import { can } from "../answers/session.ts";
import type { PlanAction } from "../answers/types.ts";

export interface PlanTarget {
  readonly request: PlanRequest;
  /** That of the schedule, for the instants of a backfill. */
  readonly timeZone?: string;
}

export const openPlan: Signal<PlanTarget | null> = signal(null);

export const planIds = (action: PlanAction, ids: Iterable<string>): void => {
  openPlan.value = { request: { action, ids: [...ids] } };
};

export const planFilter = (action: PlanAction, filter: string): void => {
  openPlan.value = { request: { action, filter } };
};

const actions: readonly PlanAction[] = ["retry", "trigger", "cancel", "delete"];

/** The actions that this person may plan. */
export const allowedActions = (): readonly PlanAction[] =>
  actions.filter((action) => can(action satisfies Right));

export const actionLabels: Readonly<Record<PlanAction, string>> = {
  retry: "Retry",
  trigger: "Run now",
  cancel: "Cancel",
  delete: "Delete",
};
