import { z } from "zod";
import { fitted, guarded, reads, toAnswer, type Tool } from "../tool.ts";

export const addListWorkers: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "list_workers",
    {
      title: "List workers",
      description: "The workers of the last day: their types, slots and last reports.",
      inputSchema: z.object({}),
      annotations: reads,
    },
    () =>
      guarded(async () => {
        const workers = await operator.listWorkers();
        const online = workers.filter(({ presence }) => presence === "online").length;
        const { items, leftOut } = fitted(workers);
        return toAnswer(`${online} of ${workers.length} workers are online.`, {
          workers: items,
          leftOut,
        });
      }),
  );
};
