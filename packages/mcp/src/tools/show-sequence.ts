import type { JobTree } from "queuert/operator";
import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

const inputSchema = z.object({
  id: z.string().min(1).max(255).describe("Any sequence of the tree."),
});

export const addShowSequence: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "show_sequence",
    {
      title: "Show the tree of a sequence",
      description:
        "A tree as an indented outline: each job with its times, and below it the sequences that it waits for.",
      inputSchema,
      annotations: reads,
    },
    ({ id }) =>
      guarded(async () => {
        const tree = await operator.getTree({ sequenceId: id, limit: 200 });
        const { rootSequenceId, sequences, jobs, cutAt } = tree;
        const { items, leftOut } = fitted(new Outline(tree).lines);
        return toAnswer(
          `The tree has ${sequences.length} sequences and ${cutAt === null ? "" : "more than "}${jobs.length} jobs.`,
          { rootSequenceId, outline: items, linesLeftOut: leftOut },
        );
      }),
  );
};

type Job = JobTree["jobs"][number];

/** The jobs of a tree in lines. A sequence that more than one job waits for is told once. */
class Outline {
  readonly lines: string[] = [];
  readonly #tree: JobTree;
  readonly #told = new Set<string>();

  constructor(tree: JobTree) {
    this.#tree = tree;
    // After the root: the sequences that no job waits for.
    for (const id of [tree.rootSequenceId, ...tree.sequences.map((each) => each.id)]) {
      if (!this.#told.has(id)) this.#tell(id, 0);
    }
  }

  #tell(sequenceId: string, depth: number): void {
    const isKnown = this.#told.has(sequenceId);
    this.#told.add(sequenceId);
    const jobs = this.#tree.jobs.filter((job) => job.sequenceId === sequenceId);
    if (isKnown || jobs.length === 0) {
      this.#add(depth, `${this.#nameOf(sequenceId)}${isKnown ? ", told above" : ""}`);
      return;
    }
    for (const job of jobs) {
      this.#add(depth, lineOf(job));
      for (const { jobId, blockerSequenceId } of this.#tree.edges) {
        if (jobId === job.id) this.#tell(blockerSequenceId, depth + 1);
      }
    }
  }

  #add(depth: number, text: string): void {
    this.lines.push("  ".repeat(depth) + text);
  }

  /** A sequence of another tree, or one that is told elsewhere. */
  #nameOf(sequenceId: string): string {
    const found = this.#tree.sequences.find(({ id }) => id === sequenceId);
    if (found === undefined) return `sequence ${sequenceId}`;
    const { typeName, status, isOutside } = found;
    return `${typeName} ${sequenceId} ${status}${isOutside ? ", of another tree" : ""}`;
  }
}

const lineOf = ({ typeName, id, status, attempt, createdAt, finishedAt, why }: Job): string => {
  const times = [
    `created ${createdAt.toISOString()}`,
    ...(finishedAt === null ? [] : [`${status} ${finishedAt.toISOString()}`]),
  ];
  const reason = status === "completed" ? "" : ` – ${why.text}`;
  return `${typeName} ${id} ${status}, attempt ${attempt}, ${times.join(", ")}${reason}`;
};
