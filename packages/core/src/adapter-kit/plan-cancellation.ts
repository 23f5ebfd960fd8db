// Which jobs a cancellation writes. Each store reads the trees of the sequences, and asks for the plan. It locks the
// jobs of the plan by id, reads and plans again, and writes a plan whose jobs are all locked.
import type {
  CancelledStateJob,
  CancelSequenceResult,
  CancelSequencesParams,
  FailJobsResult,
} from "../adapters/state-adapter-params.ts";
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import type { StateJobReference } from "../model/state-job.ts";
import { isFinished } from "../model/status.ts";
import {
  type CancellationJob,
  type CancellationView,
  type Graph,
  toGraph,
  type WaitingEdge,
} from "./cancellation-graph.ts";
import { blockerCancelledError, blockerFailedError } from "./stored-texts.ts";

export type CancellationPlan =
  /** Dependants are in other trees: the store reads the trees of these sequences too, and plans again. */
  | { readonly kind: "look"; readonly sequenceIds: readonly string[] }
  | { readonly kind: "blocking"; readonly edges: readonly BlockerEdge[] }
  | {
      readonly kind: "cancel";
      readonly results: readonly CancelSequenceResult[];
      readonly jobs: readonly CancellationJob[];
      readonly dependants: FailJobsResult["dependants"];
    };

type Params = Pick<CancelSequencesParams<object>, "sequences" | "tree" | "dependants" | "failed">;

export const planCancellation = (view: CancellationView, params: Params): CancellationPlan => {
  const graph = toGraph(view);
  const results = params.sequences.map((element) => resultOf(graph, element, params));
  const starts = new Set(
    params.sequences.flatMap(({ id }, index) => (results[index]?.kind === "cancelled" ? [id] : [])),
  );
  for (;;) {
    const chosen = choose(graph, starts, params.tree);
    // A job that goes on without its blocker is not stranded.
    const outside = edgesFromOutside(graph, chosen, starts).filter(({ goesOn }) => !goesOn);
    if (outside.length > 0 && params.dependants === "refuse") {
      return { kind: "blocking", edges: outside.map(toBlockerEdge) };
    }
    const unread = unreadOf(graph, outside);
    if (unread.length > 0) return { kind: "look", sequenceIds: unread };
    if (outside.length > 0 && params.dependants === "cancel") {
      for (const { sequenceId } of outside) starts.add(sequenceId);
      continue;
    }
    const failing = failOutside(graph, outside, chosen);
    if (failing.unread.length > 0) return { kind: "look", sequenceIds: failing.unread };
    const jobs = [...chosen].flatMap((id) => endableOf(graph, starts, id) ?? []);
    return { kind: "cancel", results, jobs, dependants: failing.dependants };
  }
};

/** The jobs of a written plan, as the method returns them. */
export const toCancelledJobs = (jobs: readonly CancellationJob[]): readonly CancelledStateJob[] =>
  jobs.map((job) => ({ ...referenceOf(job), wasRunning: job.status === "running" }));

const referenceOf = (job: StateJobReference): StateJobReference => ({
  id: job.id,
  typeName: job.typeName,
  sequenceId: job.sequenceId,
  sequenceTypeName: job.sequenceTypeName,
  rootSequenceId: job.rootSequenceId,
  originId: job.originId,
});

const resultOf = (
  graph: Graph,
  { id, lease }: Params["sequences"][number],
  { failed = false }: Params,
): CancelSequenceResult => {
  const job = graph.current.get(id);
  if (job === undefined) {
    return lease === null
      ? { kind: "refused", reason: "not_found" }
      : { kind: "lost", reason: "not_found" };
  }
  if (lease === null) {
    return isFinished(job.status) && !(failed && job.status === "failed")
      ? { kind: "refused", reason: "already_ended" }
      : { kind: "cancelled" };
  }
  if (job.status === "cancelled") return { kind: "lost", reason: "cancelled" };
  if (isFinished(job.status) || job.id !== lease.jobId) {
    return { kind: "lost", reason: "already_completed" };
  }
  const isHeld = job.status === "running" && job.leaseVersion === lease.leaseVersion;
  return isHeld ? { kind: "cancelled" } : { kind: "lost", reason: "taken_by_another_worker" };
};

/** The sequences to cancel: the starts and, in a tree, those started for them that no job outside waits for. */
const choose = (graph: Graph, starts: ReadonlySet<string>, tree: boolean): ReadonlySet<string> => {
  if (!tree) return starts;
  const kept = new Set<string>();
  for (;;) {
    const chosen = reach(graph, starts, kept);
    // A sequence that is kept keeps in turn those that it waits for.
    const awaited = edgesFromOutside(graph, chosen, starts)
      .map(({ blockerSequenceId }) => blockerSequenceId)
      .filter((id) => !starts.has(id));
    if (awaited.length === 0) return chosen;
    for (const id of awaited) kept.add(id);
  }
};

const reach = (
  { started }: Graph,
  starts: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): ReadonlySet<string> => {
  // A set can grow while it is walked.
  const reached = new Set(starts);
  for (const id of reached) {
    for (const child of started.get(id) ?? []) if (!kept.has(child)) reached.add(child);
  }
  return reached;
};

/** The job that ends with the cancellation of a sequence. Of failed sequences only the starts are cancelled. */
const endableOf = (
  { current }: Graph,
  starts: ReadonlySet<string>,
  sequenceId: string,
): CancellationJob | undefined => {
  const job = current.get(sequenceId);
  const isOver = job?.status === "failed" ? !starts.has(sequenceId) : job && isFinished(job.status);
  return isOver ? undefined : job;
};

const toBlockerEdge = ({
  jobId,
  sequenceId,
  blockerSequenceId,
  index,
}: WaitingEdge): BlockerEdge => ({
  ...{ jobId, sequenceId, blockerSequenceId, index },
});

/** The sequences that a plan ends. Each store releases the jobs that go on without them. The failure of one has released its own. */
export const sequencesOf = ({
  jobs,
  dependants,
}: Extract<CancellationPlan, { readonly kind: "cancel" }>): readonly string[] => [
  ...new Set(
    [...jobs.filter(({ status }) => status !== "failed"), ...dependants].map(
      ({ sequenceId }) => sequenceId,
    ),
  ),
];

const edgesFromOutside = (
  graph: Graph,
  chosen: ReadonlySet<string>,
  starts: ReadonlySet<string>,
): readonly WaitingEdge[] =>
  [...chosen].flatMap((id) =>
    endableOf(graph, starts, id) === undefined
      ? []
      : (graph.waiting.get(id) ?? []).filter(({ sequenceId }) => !chosen.has(sequenceId)),
  );

const unreadOf = ({ current }: Graph, edges: readonly WaitingEdge[]): readonly string[] => [
  ...new Set(edges.map(({ sequenceId }) => sequenceId).filter((id) => !current.has(id))),
];

/** Every job outside fails that waits for a cancelled sequence, and every job that waits for its sequence in turn. */
const failOutside = (
  graph: Graph,
  outside: readonly WaitingEdge[],
  chosen: ReadonlySet<string>,
): {
  readonly dependants: FailJobsResult["dependants"];
  readonly unread: readonly string[];
} => {
  const errors = new Map<string, string>();
  const unread: string[] = [];
  // A queue, not a recursion: chains may be long.
  const queue = outside.map((edge) => ({
    edge,
    error: blockerCancelledError(edge.blockerSequenceId),
  }));
  const dependants: FailJobsResult["dependants"][number][] = [];
  for (const { edge, error } of queue) {
    const { sequenceId } = edge;
    if (errors.has(sequenceId) || chosen.has(sequenceId)) continue;
    errors.set(sequenceId, error);
    const job = graph.current.get(sequenceId);
    if (job === undefined) {
      unread.push(sequenceId);
      continue;
    }
    dependants.push({ ...referenceOf(job), error });
    for (const next of graph.waiting.get(sequenceId) ?? []) {
      if (next.goesOn) continue;
      queue.push({ edge: next, error: blockerFailedError(sequenceId) });
    }
  }
  return { dependants, unread };
};
