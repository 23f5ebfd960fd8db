// `apply`: the only tool that writes. The person is asked by the host, where it can ask.
import { acceptedContent, inputRequired, type McpServer } from "@modelcontextprotocol/server";
import type { PlanContent } from "queuert/operator";
import { z } from "zod";
import { actionRefusal, guarded, refusal, toAnswer, type Tool, type ToolContext } from "../tool.ts";

const inputSchema = z.object({
  token: z.string().max(100_000).describe("That of the plan."),
  count: z.number().int().min(0).describe("The number of the plan, repeated."),
});

const confirmation = z.object({ confirm: z.boolean().describe("Apply the plan") });

export const addApply: Tool["add"] = (server, context) => {
  const { operator, user } = context;
  server.registerTool(
    "apply",
    {
      title: "Apply a plan",
      description:
        "Applies a plan once, after the person has agreed. Changes no more jobs than it counted.",
      inputSchema,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ token, count }, { mcpReq }) =>
      guarded(async () => {
        const plan = operator.readPlan(token);
        const refused = actionRefusal(plan.action, context);
        if (refused !== null) return refused;
        if (canAsk(server)) {
          if (mcpReq.inputResponses?.["confirm"] === undefined) return ask(plan, context);
          const agreed = acceptedContent(mcpReq.inputResponses, "confirm", confirmation);
          if (agreed?.confirm !== true) return refusal("The person did not agree.");
        } else if (context.environment === "production") {
          return refusal("This host cannot ask the person, and the environment is production.");
        }
        const result = await operator.apply({ token, count, user, signal: mcpReq.signal });
        const { done, refusedJobs, isStopped } = result;
        return toAnswer(`${plan.action}: ${done} done, ${result.refused} refused.`, {
          done,
          refused: result.refused,
          isStopped,
          refusedJobs: refusedJobs.slice(0, 20),
        });
      }),
  );
};

const canAsk = ({ server }: McpServer): boolean =>
  server.getClientCapabilities()?.elicitation !== undefined;

const ask = (
  { action, count, filter }: PlanContent,
  { environment }: ToolContext,
): ReturnType<typeof inputRequired> => {
  const place = environment === null ? "" : ` in ${environment}`;
  const target = filter === null ? "the named jobs" : `the jobs that match ${filter}`;
  const message = `${action} ${count.toLocaleString("en-US")} of ${target}${place}?`;
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({ message, requestedSchema: confirmation }),
    },
  });
};
