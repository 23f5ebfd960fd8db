import type { Job } from "queuert";

/** The jobs of a tree as text: sequences below each other, each a chain, with those it waited for under the job. */
export const drawTree = (jobs: readonly Job[], rootSequenceId: string): string => {
  const chainOf = (sequenceId: string): Job[] =>
    jobs
      .filter((job) => job.sequenceId === sequenceId)
      .toSorted((one, other) => one.position - other.position);

  const draw = (sequenceId: string, indent: string): string[] =>
    chainOf(sequenceId).flatMap((job) => {
      const arrow = job.position === 0 ? "" : "└▶ ";
      const own = indent + "   ".repeat(Math.max(0, job.position - 1)) + arrow + describe(job);
      const below = `${indent}${"   ".repeat(job.position)}│  `;
      const blockers = (job.blockers as readonly { readonly id: string }[]).flatMap(({ id }) =>
        draw(id, below),
      );
      return [own, ...blockers];
    });
  return draw(rootSequenceId, "  ").join("\n");
};

const describe = (job: Job): string => {
  const by = job.status === "completed" ? `, by ${job.completedBy ?? "a person"}` : "";
  const attempts = job.attempt > 1 ? `, ${job.attempt} attempts` : "";
  return `${job.typeName} (${job.status}${by}${attempts})`;
};
