import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

const inputSchema = z.object({
  cursor: z.string().max(1_000).optional().describe("The nextCursor of the previous answer."),
});

export const addListSchedules: Tool["add"] = (server, { operator, hasPayloads }) => {
  server.registerTool(
    "list_schedules",
    {
      title: "List schedules",
      description: "Schedules by name, each with its next tick, its pause and its last error.",
      inputSchema,
      annotations: reads,
    },
    ({ cursor }) =>
      guarded(async () => {
        const first = await operator.listSchedules({ limit: 50, cursor });
        const { items } = fitted(
          first.items.map(({ input, ...schedule }) =>
            hasPayloads ? { ...schedule, input } : schedule,
          ),
        );
        // The next page begins after the last schedule that is shown.
        const isCut = items.length > 0 && items.length < first.items.length;
        const limit = items.length;
        const { nextCursor } = isCut ? await operator.listSchedules({ limit, cursor }) : first;
        return toAnswer(`${limit} schedules.`, { schedules: items, nextCursor });
      }),
  );
};
