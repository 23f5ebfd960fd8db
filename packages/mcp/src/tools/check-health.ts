import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

const actionsMax = 20;

export const addCheckHealth: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "check_health",
    {
      title: "Check the health",
      description:
        "Causes of trouble: jobs that nothing moves, vanished workers, pauses, limits, clocks. With the newest actions of operators.",
      inputSchema: z.object({}),
      annotations: reads,
    },
    () =>
      guarded(async () => {
        const { at, isWell, findings } = await operator.checkHealth();
        const actions = await operator.listActions({ limit: actionsMax });
        const rest = { at, isWell, actions };
        const { items, leftOut } = fitted(findings, rest);
        const sentence = isWell ? "Nothing was found." : `${findings.length} findings.`;
        return toAnswer(sentence, { ...rest, findings: items, findingsLeftOut: leftOut });
      }),
  );
};
