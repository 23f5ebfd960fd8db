// The tree of a root as an outline: each sequence with its jobs, and under it the sequences that its jobs wait for.
import type { JobView, Operator } from "queuert/operator";
import type { Client } from "../connect/client.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Terminal } from "../terminal.ts";

export interface JobTree {
  readonly rootSequenceId: string;
  readonly sequences: readonly TreeSequence[];
  /** The tree has more jobs than are shown. */
  readonly isCut: boolean;
}

interface TreeSequence {
  readonly id: string;
  readonly jobs: readonly TreeJob[];
}

interface TreeJob {
  readonly id: string;
  readonly typeName: string;
  readonly status: JobView["status"];
  readonly originId: string | null;
  /** The sequences that it waits or waited for. */
  readonly blockerIds: readonly string[];
}

const jobsMax = 1_000;

export const loadTree = async (
  operator: Operator,
  client: Client,
  rootSequenceId: string,
): Promise<JobTree> => {
  const [{ items, nextCursor }, { edges }] = await Promise.all([
    operator.listJobs({ filter: `root:"${rootSequenceId}"`, order: "asc", limit: jobsMax }),
    client.getBlockerGraph({ sequenceId: rootSequenceId }),
  ]);
  const sequences = new Map<string, TreeJob[]>();
  for (const { id, typeName, status, originId, sequenceId } of items) {
    const blockerIds = edges
      .filter(({ jobId }) => jobId === id)
      .sort((left, right) => left.index - right.index)
      .map(({ blockerSequenceId }) => blockerSequenceId);
    const jobs = sequences.get(sequenceId) ?? [];
    jobs.push({ id, typeName, status, originId, blockerIds });
    sequences.set(sequenceId, jobs);
  }
  return {
    rootSequenceId,
    sequences: [...sequences].map(([id, jobs]) => ({ id, jobs })),
    isCut: nextCursor !== null,
  };
};

const marks = {
  pending: "○",
  blocked: "◔",
  running: "●",
  completed: "✓",
  failed: "✕",
  cancelled: "⊘",
} as const;

export const treeLines = (terminal: Terminal, tree: JobTree, chosenId: string): string[] => {
  const byId = new Map(tree.sequences.map((sequence) => [sequence.id, sequence]));
  const shown = new Set<string>();
  const lines: string[] = [];
  const add = ({ id, jobs }: TreeSequence, indent: string): void => {
    if (shown.has(id)) {
      lines.push(`${indent}${safeLine(id)} (above)`);
      return;
    }
    shown.add(id);
    for (const [index, job] of jobs.entries()) {
      lines.push(indent + (index === 0 ? "" : "▸ ") + jobLine(terminal, job, chosenId));
      for (const blockerId of job.blockerIds) {
        const blocker = byId.get(blockerId);
        const inner = `${indent}  waits for `;
        // A blocker may be in another tree.
        if (blocker === undefined) lines.push(`${inner}${safeLine(blockerId)}, of another tree`);
        else addBlocker(blocker, inner, `${indent}    `);
      }
    }
  };
  const addBlocker = (blocker: TreeSequence, opening: string, indent: string): void => {
    const before = lines.length;
    add(blocker, indent);
    lines[before] = opening + (lines[before] ?? "").trimStart();
  };
  const root = byId.get(tree.rootSequenceId);
  if (root !== undefined) add(root, "");
  // Children of the root by `parent`, that no job waits for.
  for (const sequence of tree.sequences) if (!shown.has(sequence.id)) add(sequence, "");
  return tree.isCut ? [...lines, `… and more: only ${jobsMax} jobs are shown`] : lines;
};

const jobLine = (terminal: Terminal, job: TreeJob, chosenId: string): string => {
  const { id, typeName, status } = job;
  const line = `${marks[status]} ${safeLine(typeName)} ${safeLine(id)} ${status}`;
  return id === chosenId ? terminal.colour("bold", line) : line;
};
