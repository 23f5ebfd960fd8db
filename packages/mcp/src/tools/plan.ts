import { z } from "zod";
import { actionRefusal, guarded, reads, toAnswer, type Tool } from "../tool.ts";

const inputSchema = z.object({
  action: z.enum(["retry", "trigger", "cancel", "delete"]),
  ids: z.array(z.string().max(255)).max(1_000).optional().describe("The jobs. Or give a filter."),
  filter: z.string().max(2_000).optional().describe("All jobs that match. Or give ids."),
});

export const addPlan: Tool["add"] = (server, context) => {
  const { operator, user } = context;
  server.registerTool(
    "plan",
    {
      title: "Plan a change",
      description:
        "Counts the jobs that an action would change, and those that it would refuse. Writes nothing.",
      inputSchema,
      annotations: reads,
    },
    ({ action, ids, filter }) =>
      guarded(async () => {
        const refused = actionRefusal(action, context);
        if (refused !== null) return refused;
        const plan = await operator.plan({ action, ids, filter, user });
        const more = plan.isAtLeast ? "There are more: apply this plan, and make another." : "";
        return toAnswer(`${action} would change ${plan.count}. Nothing was written. ${more}`, {
          ...plan,
        });
      }),
  );
};
