// Cancels sequences. The transaction is the only writer, so the first plan is the one that is written.
import type {
  CancellationJob,
  CancellationView,
  WaitingEdge,
} from "../../adapter-kit/cancellation-graph.ts";
import {
  planCancellation,
  sequencesOf,
  toCancelledJobs,
} from "../../adapter-kit/plan-cancellation.ts";
import { cancelledAttemptError } from "../../adapter-kit/stored-texts.ts";
import type {
  CancelSequencesParams,
  CancelSequencesResult,
  FailJobsResult,
} from "../../adapters/state-adapter-params.ts";
import { withAttempt } from "../attempts.ts";
import type { Database, InProcessContext, InProcessMethod } from "../database.ts";
import { failedState, releaseContinuing } from "../dependants.ts";
import type { JobTree } from "../job-tree.ts";
import type { StoredJob } from "../stored-job.ts";
import type { Store } from "../store.ts";
import { edgesOf, toReference } from "../views.ts";

export const cancelSequences =
  (database: Database): InProcessMethod<"cancelSequences"> =>
  async (params) =>
    params.sequences.length === 0
      ? { kind: "cancelled", results: [], jobs: [], dependants: [], unblocked: [] }
      : database.write(params.context, "cancelSequences", (store) => cancel(store, params));

const cancel = (
  store: Store,
  params: CancelSequencesParams<InProcessContext>,
): CancelSequencesResult => {
  const trees = new Set<JobTree>();
  let wanted: readonly string[] = params.sequences.map(({ id }) => id);
  for (;;) {
    for (const id of wanted) {
      const first = store.sequence(id);
      if (first !== undefined) trees.add(first.tree);
    }
    const plan = planCancellation(read(trees), params);
    if (plan.kind === "blocking") return plan;
    if (plan.kind === "look") {
      wanted = plan.sequenceIds;
      continue;
    }
    const { results, jobs, dependants } = plan;
    for (const { id } of jobs) putCancelled(store, store.byId.get(id), params.reason);
    for (const dependant of dependants) putFailed(store, dependant);
    const unblocked = sequencesOf(plan).flatMap((id) => {
      const first = store.sequence(id);
      return first === undefined ? [] : releaseContinuing(store, first);
    });
    return { kind: "cancelled", results, jobs: toCancelledJobs(jobs), dependants, unblocked };
  }
};

const read = (trees: ReadonlySet<JobTree>): CancellationView => {
  const jobs: CancellationJob[] = [];
  const waiting: WaitingEdge[] = [];
  for (const tree of trees) {
    for (const stored of tree.walk("asc", null)) {
      if (stored.state === undefined) continue;
      const { status, leaseVersion } = stored.state;
      jobs.push({ ...toReference(stored), position: stored.position, status, leaseVersion });
      for (const edge of waitingFor(stored)) waiting.push(edge);
    }
  }
  return { jobs, waiting };
};

const waitingFor = (blocker: StoredJob): readonly WaitingEdge[] =>
  [...(blocker.dependants ?? [])]
    .filter(({ state }) => state?.status === "blocked")
    .sort((left, right) => left.ordinal - right.ordinal)
    .flatMap((stored) => {
      const goesOn = stored.onBlockerFailure === "continue";
      return edgesOf(stored, "transaction").map((edge) => ({ ...edge, goesOn }));
    })
    .filter(({ blockerSequenceId }) => blockerSequenceId === blocker.id);

const putCancelled = (store: Store, stored: StoredJob | undefined, reason: string | null): void => {
  if (stored?.state === undefined) return;
  const { state } = stored;
  const end = { outcome: "cancelled", error: cancelledAttemptError, nextAt: null } as const;
  store.put(stored, {
    ...state,
    ...(state.status === "running" && { attempts: withAttempt(state, end, store.now) }),
    status: "cancelled",
    output: reason,
    leasedBy: null,
    leasedUntil: null,
    finishedAt: store.now,
  });
};

const putFailed = (store: Store, { id, error }: FailJobsResult["dependants"][number]): void => {
  const stored = store.byId.get(id);
  if (stored?.state !== undefined) store.put(stored, failedState(stored.state, error, store.now));
};
