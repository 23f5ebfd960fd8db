// Why a blocked job waits: its blockers are followed, level by level, to the jobs that hold them up. The number of statements is
// the depth of the graph.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateJob, StateSequence } from "../../model/state-job.ts";
import type { Evidence } from "./evidence.ts";
import type { JobRef, Reason, RootCause } from "../../public-types/explanation.ts";
import { ownReasons } from "./own-reasons.ts";
import { duration } from "../../model/duration-text.ts";
import { countOf, firstLine, nameOf, toRef } from "./words.ts";

/** A larger graph is cut here. */
const nodesMax = 1_000;

export interface Blockage {
  readonly reasons: readonly Reason[];
  readonly rootCause: RootCause | null;
}

/** The reasons of a blocked job, and the job at the end of the path that matters most. */
export const explainBlocked = async (
  state: AnyStateAdapter,
  job: StateJob,
  evidence: Evidence,
  context: object | undefined,
): Promise<Blockage> => {
  const leaves = await followBlockers(state, job, context);
  const causes = leaves.map((leaf) => toCause(leaf, job, evidence));
  causes.sort((left, right) => weightOf(left.reason) - weightOf(right.reason));
  const [rootCause = null] = causes;
  const [direct = []] = await state.getBlockers({ context, ids: [job.id] });
  if (direct.length === 0) return { reasons: [awaitsSignal(job)], rootCause: null };
  const waiting = blockedBy(job, direct, evidence);
  if (rootCause === null) return { reasons: [waiting], rootCause };
  return { reasons: [...whyStuck(rootCause, job), waiting], rootCause };
};

/** A way from the job through blocked jobs to one that is not blocked, or back to a job of the way. */
interface Leaf {
  readonly path: readonly StateJob[];
  readonly isCircle: boolean;
}

const followBlockers = async (
  state: AnyStateAdapter,
  job: StateJob,
  context: object | undefined,
): Promise<readonly Leaf[]> => {
  const leaves: Leaf[] = [];
  const seen = new Set([job.sequenceId]);
  let frontier: readonly (readonly StateJob[])[] = [[job]];
  while (frontier.length > 0 && seen.size < nodesMax) {
    const ids = frontier.map((path) => path.at(-1)?.id ?? "");
    const blockers = await state.getBlockers({ context, ids });
    const next: (readonly StateJob[])[] = [];
    for (const [index, path] of frontier.entries()) {
      // An expected signal is blocked, and waits for no sequence.
      if (path.length > 1 && blockers[index]?.length === 0) leaves.push({ path, isCircle: false });
      for (const { current } of blockers[index] ?? []) {
        if (isDone(current, path.at(-1))) continue;
        const longer = [...path, current];
        if (path.some(({ sequenceId }) => sequenceId === current.sequenceId)) {
          leaves.push({ path: longer, isCircle: true });
        } else if (!seen.has(current.sequenceId)) {
          seen.add(current.sequenceId);
          if (current.status === "blocked") next.push(longer);
          else leaves.push({ path: longer, isCircle: false });
        }
      }
    }
    frontier = next;
  }
  return leaves;
};

const isComplete = (current: StateJob): boolean =>
  current.status === "completed" && current.continuedToId === null;

/** A job with `onBlockerFailure: "continue"` does not wait for a blocker that has ended in any way. */
const isDone = (current: StateJob, waiting: StateJob | undefined): boolean =>
  isComplete(current) ||
  (waiting?.onBlockerFailure === "continue" &&
    (current.status === "failed" || current.status === "cancelled"));

const toCause = ({ path, isCircle }: Leaf, job: StateJob, evidence: Evidence): RootCause => {
  const refs = path.slice(1).map(toRef);
  const last = path.at(-1);
  if (last === undefined || isCircle) {
    const names = [toRef(job), ...refs].map(nameOf).join(" → ");
    const text = `The blockers wait for each other: ${names}.`;
    return { path: refs, reason: { kind: "blocked_in_a_circle", path: refs, text } };
  }
  const [reason] = last.status === "blocked" ? [awaitsSignal(last)] : ownReasons(last, evidence);
  return { path: refs, reason: reason as Reason };
};

/** Without blockers, only an expected signal is blocked. */
const awaitsSignal = ({ deduplicationKey: key }: StateJob): Reason => {
  const named = key === null ? "" : ` of the key ${JSON.stringify(key)}`;
  return { kind: "awaits_signal", key, text: `It is a signal${named} that has not been sent.` };
};

/** A reason with a smaller weight matters more: a person has to act on the first ones. */
const weightOf = ({ kind }: Reason): number => {
  const order: readonly Reason["kind"][] = [
    "failed",
    "blocked_in_a_circle",
    "no_worker",
    "lease_expired",
    "worker_gone",
    "scheduled",
    "limit_reached",
    "locked",
    "key_paused",
    "key_limit_reached",
    "batch_not_ripe",
    "workers_full",
    "behind",
    "due_and_free",
    "running",
    "awaits_signal",
  ];
  const place = order.indexOf(kind);
  return place < 0 ? order.length : place;
};

const whyStuck = ({ path, reason }: RootCause, job: StateJob): readonly Reason[] => {
  if (reason.kind === "blocked_in_a_circle") return [reason];
  const last = path.at(-1);
  if (reason.kind !== "failed" || last === undefined) return [];
  const { onBlockerFailure } = job;
  const error = firstLine(reason.error);
  const text = `It waits for ${nameOf(last)}, which failed: ${error}`;
  return [{ kind: "blocked_by_failed", path, error, onBlockerFailure, text }];
};

const blockedBy = (
  job: StateJob,
  blockers: readonly StateSequence[],
  { now }: Evidence,
): Reason => {
  const refs = blockers.map(({ current }) => ({ ref: toRef(current), done: isDone(current, job) }));
  const open = distinct(refs.filter(({ done }) => !done).map(({ ref }) => ref));
  const done = distinct(refs.filter((each) => each.done).map(({ ref }) => ref));
  const [first] = open;
  const names =
    first === undefined
      ? "a blocker that has just ended"
      : open.length === 1
        ? nameOf(first)
        : `${countOf(open.length, "sequence")}, such as ${nameOf(first)}`;
  const { createdAt, blockedUntil: until } = job;
  const sinceMs = now.getTime() - createdAt.getTime();
  const atMost = until === null ? "" : `, at most until ${until.toISOString()}`;
  const text = `It was created ${duration(sinceMs)} ago and waits for ${names}${atMost}.`;
  return { kind: "blocked_by", open, done, until, text };
};

/** The same sequence may be given twice. */
const distinct = (refs: readonly JobRef[]): readonly JobRef[] => [
  ...new Map(refs.map((ref) => [ref.sequenceId, ref])).values(),
];
