import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

export const addOverview: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "overview",
    {
      title: "Overview",
      description:
        "The types of jobs that need attention, unfinished and failed jobs by type, and pauses.",
      inputSchema: z.object({}),
      annotations: reads,
    },
    () =>
      guarded(async () => {
        const { attention, types, totals, pauses, workers, at } = await operator.getOverview();
        const rest = { at, totals, attention: attention.slice(0, 20), pauses, workers };
        const { items, leftOut } = fitted(types, rest);
        const sentence = `${attention.length} things need attention. ${totals.pending} jobs pending, ${totals.running} running, ${totals.failed} failed.`;
        return toAnswer(sentence, { ...rest, types: items, typesLeftOut: leftOut });
      }),
  );
};
