import { filterTerms, type JobsPage } from "queuert/operator";
import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool, toShownJob } from "../tool.ts";

const terms = filterTerms.map(({ example }) => example).join("  ");

const inputSchema = z.object({
  filter: z.string().max(2_000).default("").describe(`Terms, all of which must match: ${terms}`),
  limit: z.number().int().min(1).max(50).default(20),
  cursor: z.string().max(1_000).optional().describe("The nextCursor of the previous answer."),
});

export const addFindJobs: Tool["add"] = (server, context) => {
  server.registerTool(
    "find_jobs",
    {
      title: "Find jobs",
      description: "One page of jobs, the newest first, each with the reason for its state.",
      inputSchema,
      annotations: reads,
    },
    ({ filter, limit, cursor }) =>
      guarded(async () => {
        const read = (most: number): Promise<JobsPage> =>
          context.operator.listJobs({ filter, limit: most, cursor });
        const first = await read(limit);
        const { items } = fitted(first.items.map((job) => toShownJob(job, context)));
        // The next page begins after the last job that is shown.
        const isCut = items.length > 0 && items.length < first.items.length;
        const { examined, nextCursor } = isCut ? await read(items.length) : first;
        const further = nextCursor === null ? "No more match." : "nextCursor looks further.";
        return toAnswer(
          `${items.length} jobs match among the ${examined} that were looked at. ${further}`,
          { jobs: items, nextCursor },
        );
      }),
  );
};
