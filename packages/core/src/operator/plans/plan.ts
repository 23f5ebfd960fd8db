// A plan: the jobs that an action would change, those that it would refuse, and the consequences. Nothing is written.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { InvalidOptionError } from "../../errors.ts";
import type { StateJob } from "../../model/state-job.ts";
import { toRef } from "../explain/words.ts";
import type { JobRef } from "../../public-types/explanation.ts";
import type { PayloadView } from "../redact/redact.ts";
import { search, type Viewer } from "../search/search.ts";
import { needsCount, unitOf, whyNot } from "./actions.ts";
import { createNonce, encodeToken, type PlanAction, planActions } from "./plan-token.ts";
import { previewedMax, previewRetry, type RetryPreview } from "./preview-retry.ts";
import { planConditions, readTarget, type Target } from "./target.ts";

/** The options of `plan`. */
export interface PlanOptions {
  /** The change to make. */
  readonly action: PlanAction;
  /** The jobs, at most 1,000. Left out: those of `filter`. */
  readonly ids?: readonly string[] | undefined;
  /** All jobs that match. An empty filter is refused: it does not mean all jobs. Left out: those of `ids`. */
  readonly filter?: string | undefined;
  /** Whose payloads the filter may look into. Default: as the operator was created. */
  readonly payloads?: PayloadView | undefined;
  /** The person or program that plans. Only the same user may apply the plan. Default: none. */
  readonly user?: string | undefined;
}

/** A change that was counted and not made. `apply` makes it. */
export interface Plan {
  /** For `apply`. */
  readonly token: string;
  readonly action: PlanAction;
  /** The filter with absolute times; null for a plan of ids. */
  readonly filter: string | null;
  /** How many jobs would be changed; for a cancellation, how many sequences; for a deletion, how many trees. */
  readonly count: number;
  /** There are more: apply the plan, and make another. */
  readonly isAtLeast: boolean;
  readonly refused: readonly PlanRefusals[];
  /** Some of the jobs. */
  readonly sample: readonly JobRef[];
  /** One sentence each. */
  readonly consequences: readonly string[];
  readonly expiresAt: Date;
  /** `count`: the number has to be repeated in `apply`. */
  readonly confirm: "button" | "count";
}

/** Jobs that would be refused for one reason. */
export interface PlanRefusals {
  readonly reason: string;
  readonly count: number;
  readonly sample: readonly string[];
}

export interface PlanSettings extends Viewer {
  readonly secret: string;
  readonly ttlMs: number;
  /** Jobs that one plan changes at most. */
  readonly countMax: number;
  /** Jobs looked at in one step of a search. */
  readonly examineStep: number;
}

const sampleMax = 10;

/** Plans an action. */
export const makePlan = async (
  state: AnyStateAdapter,
  options: PlanOptions,
  settings: PlanSettings,
  now: Date,
): Promise<Plan> => {
  const { action, user = null } = options;
  if (!planActions.includes(action)) {
    throw new InvalidOptionError("action", action, `give one of ${planActions.join(", ")}`);
  }
  const target = readTarget(options, settings, now);
  const [newest] = await state.listJobs({ ...everything, order: "desc", limit: 1 });
  const ordinalMax = newest?.ordinal ?? 0;
  const found = await collect(state, action, target, ordinalMax, settings, now);
  const { jobs } = found;
  const preview = await previewOf(state, action, jobs, found.units.size);
  const refused = groupRefusals([...found.refused, ...preview.refused]);
  const count = found.units.size - preview.refused.length;
  const expiresAt = Date.now() + settings.ttlMs;
  const content = {
    action,
    filter: target.filter?.text ?? null,
    ids: target.ids,
    ordinalMax,
    count,
    user,
    expiresAt,
    nonce: createNonce(),
  };
  return {
    token: encodeToken(content, settings.secret),
    action,
    filter: content.filter,
    count,
    isAtLeast: found.isAtLeast,
    refused,
    sample: jobs.slice(0, sampleMax).map(toRef),
    consequences: preview.consequences,
    expiresAt: new Date(expiresAt),
    confirm: needsCount(action, count) ? "count" : "button",
  };
};

const everything = {
  typeNames: null,
  statuses: null,
  sequenceId: null,
  rootSequenceId: null,
  createdFrom: null,
  createdTo: null,
  afterOrdinal: null,
} as const;

const previewOf = async (
  state: AnyStateAdapter,
  action: PlanAction,
  jobs: readonly StateJob[],
  count: number,
): Promise<RetryPreview> => {
  if (action === "retry") return previewRetry(state, jobs, count);
  const isForFailed = action === "cancel" && jobs.some(({ status }) => status === "failed");
  return {
    refused: [],
    consequences: isForFailed ? ["Some of them have failed. They can never be retried then."] : [],
  };
};

interface Collected {
  /** Ids of jobs, or of trees. */
  readonly units: ReadonlySet<string>;
  /** The first of them, for the preview. */
  readonly jobs: readonly StateJob[];
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  readonly isAtLeast: boolean;
}

const collect = async (
  state: AnyStateAdapter,
  action: PlanAction,
  { ids, filter }: Target,
  ordinalMax: number,
  settings: PlanSettings,
  now: Date,
): Promise<Collected> => {
  const units = new Set<string>();
  const firstJobs: StateJob[] = [];
  const add = (job: StateJob): void => {
    const unit = unitOf(action, job);
    if (!units.has(unit) && firstJobs.length < previewedMax) firstJobs.push(job);
    units.add(unit);
  };
  const refused: { id: string; reason: string }[] = [];
  if (ids !== null) {
    const jobs = await state.getJobs({ ids });
    for (const [index, job] of jobs.entries()) {
      const reason = whyNot(action, job);
      if (reason !== null) refused.push({ id: ids[index] ?? "", reason });
      else if (job !== undefined) add(job);
    }
    return { units, jobs: firstJobs, refused, isAtLeast: false };
  }
  const conditions = planConditions(action, ids, filter);
  let afterOrdinal: number | null = null;
  for (;;) {
    const page = { conditions, order: "asc", limit: 500, afterOrdinal, ordinalMax } as const;
    const examineMax = settings.examineStep;
    const { jobs, examinedTo } = await search(state, { ...page, examineMax }, settings, now);
    for (const job of jobs) {
      if (units.size === settings.countMax && !units.has(unitOf(action, job))) {
        return { units, jobs: firstJobs, refused, isAtLeast: true };
      }
      add(job);
    }
    if (examinedTo === null) return { units, jobs: firstJobs, refused, isAtLeast: false };
    afterOrdinal = examinedTo;
  }
};

const groupRefusals = (
  refused: readonly { readonly id: string; readonly reason: string }[],
): readonly PlanRefusals[] => {
  const groups = new Map<string, string[]>();
  for (const { id, reason } of refused) {
    const group = groups.get(reason);
    if (group === undefined) groups.set(reason, [id]);
    else group.push(id);
  }
  return [...groups].map(([reason, ids]) => ({
    reason,
    count: ids.length,
    sample: ids.slice(0, sampleMax),
  }));
};
