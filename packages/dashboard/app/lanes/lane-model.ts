// The picture of a tree: a lane for each sequence, its jobs from left to right, and the waits between lanes. Many alike lanes
// become one bundle. The views only draw it.
import type { TreeAnswer } from "../../src/api-types.ts";
import type { Job } from "../answers/types.ts";

export type TreeSequence = TreeAnswer["sequences"][number];

export interface LaneNode {
  readonly job: Job;
  /** The column: the longest path that leads here. */
  readonly rank: number;
}

export interface Lane {
  readonly sequence: TreeSequence;
  readonly nodes: readonly LaneNode[];
  /** The root has 0, its blockers have 1. */
  readonly depth: number;
  /** The sequences that are drawn as this lane. Empty: the lane is one sequence. */
  readonly bundled: readonly TreeSequence[];
  /** Names the lanes that are alike. */
  readonly kin: string;
}

/** A job waits, or waited, for the sequence of a lane. */
export interface Wait {
  readonly jobId: string;
  readonly sequenceId: string;
}

export interface Picture {
  readonly lanes: readonly Lane[];
  readonly waits: readonly Wait[];
  readonly columns: number;
}

/** More alike lanes than this become a bundle. */
const kinMax = 12;

/** `opened`: bundles that are drawn lane by lane. */
export const toPicture = (tree: TreeAnswer, opened: ReadonlySet<string>): Picture => {
  const ranks = ranksOf(tree);
  const jobsOf = groupBy(tree.jobs, ({ sequenceId }) => sequenceId);
  const all = inOrder(tree, jobsOf).map(({ sequence, depth, parent }): Lane => {
    const jobs = jobsOf.get(sequence.id) ?? [];
    return {
      sequence,
      nodes: jobs.map((job) => ({ job, rank: ranks.get(job.id) ?? 0 })),
      depth,
      bundled: [],
      kin: `${parent} ${sequence.typeName}`,
    };
  });
  const { lanes, drawnAs } = bundle(all, opened);
  const waits = new Map<string, Wait>();
  for (const { jobId, blockerSequenceId } of tree.edges) {
    const sequenceId = drawnAs.get(blockerSequenceId);
    if (sequenceId !== undefined) waits.set(`${jobId} ${sequenceId}`, { jobId, sequenceId });
  }
  const last = Math.max(0, ...lanes.flatMap(({ nodes }) => nodes.map(({ rank }) => rank)));
  return { lanes, waits: [...waits.values()], columns: last + 1 };
};

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

interface Ordered {
  readonly sequence: TreeSequence;
  readonly depth: number;
  /** The job that waits for the sequence, or started it. */
  readonly parent: string;
}

type Step = readonly [sequenceId: string, parent: string];

/** The root, and below each sequence those that its jobs wait for or have started. */
const inOrder = (tree: TreeAnswer, jobsOf: Map<string, Job[]>): readonly Ordered[] => {
  const byId = new Map(tree.sequences.map((sequence) => [sequence.id, sequence]));
  const blockersOf = groupBy(
    [...tree.edges].sort((left, right) => left.index - right.index),
    ({ jobId }) => jobId,
  );
  const startedBy = groupBy(tree.sequences, ({ id }) => jobsOf.get(id)?.[0]?.originId ?? "");
  const childrenOf = (id: string): readonly Step[] =>
    (jobsOf.get(id) ?? []).flatMap((job) => {
      const blockers = blockersOf.get(job.id)?.map(({ blockerSequenceId }) => blockerSequenceId);
      const started = startedBy.get(job.id)?.map((each) => each.id);
      return [...(blockers ?? []), ...(started ?? [])].map((child) => [child, job.id] as const);
    });
  const ordered: Ordered[] = [];
  const seen = new Set<string>();
  for (const start of [tree.rootSequenceId, ...byId.keys()]) {
    // Not recursive: a chain of blockers may be long.
    const stack: (readonly [...Step, depth: number])[] = [[start, "", 0]];
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      const [id, parent, depth] = step;
      const sequence = byId.get(id);
      if (sequence === undefined || seen.has(id)) continue;
      seen.add(id);
      ordered.push({ sequence, depth, parent });
      for (const [child, job] of [...childrenOf(id)].reverse()) stack.push([child, job, depth + 1]);
    }
  }
  return ordered;
};

/** The longest path to each job: through its sequence, its blockers, and the job that started it. */
const ranksOf = ({ jobs, edges }: TreeAnswer): Map<string, number> => {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const ofSequence = groupBy(jobs, ({ sequenceId }) => sequenceId);
  const blockersOf = groupBy(edges, ({ jobId }) => jobId);
  const before = new Map<string, Job[]>();
  for (const job of jobs) {
    const own = ofSequence.get(job.sequenceId) ?? [];
    const previous = own[own.indexOf(job) - 1];
    const blockers = (blockersOf.get(job.id) ?? []).map(({ blockerSequenceId }) =>
      ofSequence.get(blockerSequenceId)?.at(-1),
    );
    const origin = previous === undefined ? byId.get(job.originId ?? "") : undefined;
    const isWaiting =
      origin !== undefined &&
      (blockersOf.get(origin.id) ?? []).some((edge) => edge.blockerSequenceId === job.sequenceId);
    // A job comes after the blockers that it has started.
    const all = [previous, ...blockers, isWaiting ? undefined : origin];
    before.set(
      job.id,
      all.filter((each): each is Job => each !== undefined),
    );
  }
  return longestPaths(jobs, before);
};

/** Without recursion: a chain may have thousands of jobs. A circle ends where it was entered. */
const longestPaths = (
  jobs: readonly Job[],
  before: ReadonlyMap<string, readonly Job[]>,
): Map<string, number> => {
  const ranks = new Map<string, number>();
  const entered = new Set<string>();
  for (const job of jobs) {
    const stack = [job.id];
    while (stack.length > 0) {
      const id = stack.at(-1) ?? "";
      const previous = (before.get(id) ?? []).map((each) => each.id);
      const open = entered.has(id)
        ? []
        : previous.filter((each) => !ranks.has(each) && !entered.has(each));
      entered.add(id);
      if (open.length > 0) {
        stack.push(...open);
        continue;
      }
      stack.pop();
      if (ranks.has(id)) continue;
      ranks.set(id, Math.max(-1, ...previous.map((each) => ranks.get(each) ?? -1)) + 1);
    }
  }
  return ranks;
};

/** Lanes that are alike become the first of them, if there are many. Those below them go with them. */
const bundle = (
  all: readonly Lane[],
  opened: ReadonlySet<string>,
): { readonly lanes: readonly Lane[]; readonly drawnAs: ReadonlyMap<string, string> } => {
  const kin = groupBy(all, (lane) => lane.kin);
  const lanes: Lane[] = [];
  const drawnAs = new Map<string, string>();
  let hiddenBelow: number | null = null;
  for (const lane of all) {
    const group = kin.get(lane.kin) ?? [];
    const [first = lane] = group;
    if (hiddenBelow !== null && lane.depth > hiddenBelow) continue;
    hiddenBelow = null;
    const isBundled = group.length > kinMax && !opened.has(lane.kin);
    drawnAs.set(lane.sequence.id, isBundled ? first.sequence.id : lane.sequence.id);
    if (!isBundled) lanes.push(lane);
    else {
      hiddenBelow = lane.depth;
      if (lane === first) lanes.push({ ...lane, bundled: group.map(({ sequence }) => sequence) });
    }
  }
  return { lanes, drawnAs };
};
