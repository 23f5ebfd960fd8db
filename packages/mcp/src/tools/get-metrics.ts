import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

const inputSchema = z.object({
  types: z.array(z.string().max(255)).max(20).optional().describe("Left out: every type."),
  sinceMinutes: z.number().int().min(1).max(43_200).default(60),
});

export const addGetMetrics: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "get_metrics",
    {
      title: "Get metrics",
      description:
        "Completed and failed attempts by type, with run and wait times, since a while ago.",
      inputSchema,
      annotations: reads,
    },
    ({ types, sinceMinutes }) =>
      guarded(async () => {
        const sinceMs = sinceMinutes * 60_000;
        const report = await operator.getMetrics({ sinceMs, typeNames: types });
        const totals = report.types.map(({ typeName, total }) => ({ typeName, ...total }));
        const { items, leftOut } = fitted(totals);
        const { from, to } = report;
        return toAnswer(`${totals.length} types ran in the last ${sinceMinutes} minutes.`, {
          from,
          to,
          types: items,
          leftOut,
        });
      }),
  );
};
