import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

const inputSchema = z.object({
  filter: z.string().max(2_000).default("").describe("Narrows the failed jobs, such as since:1d."),
});

export const addGroupFailures: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "group_failures",
    {
      title: "Group failures",
      description: "Failed jobs grouped by cause, each group with a filter that finds its jobs.",
      inputSchema,
      annotations: reads,
    },
    ({ filter }) =>
      guarded(async () => {
        const { groups, count, isAtLeast } = await operator.listFailures({ filter });
        const { items, leftOut } = fitted(groups);
        const more = isAtLeast ? "More jobs failed than were looked at." : "";
        return toAnswer(`${count} failed jobs in ${groups.length} groups. ${more}`, {
          groups: items,
          leftOut,
        });
      }),
  );
};
