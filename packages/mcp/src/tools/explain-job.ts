import { z } from "zod";
import { guarded, reads, toAnswer, type Tool } from "../tool.ts";

const inputSchema = z.object({ id: z.string().min(1).max(255).describe("The id of the job.") });

export const addExplainJob: Tool["add"] = (server, { operator }) => {
  server.registerTool(
    "explain_job",
    {
      title: "Explain a job",
      description:
        "Why a job is where it is: all reasons, the job at the root of the cause, and remedies.",
      inputSchema,
      annotations: reads,
    },
    ({ id }) =>
      guarded(async () => {
        const explanation = await operator.explain({ id });
        const { verdict, reasons, rootCause, remedies } = explanation;
        const [first] = reasons;
        const because = first === undefined ? "" : ` The first reason is ${first.kind}.`;
        const elsewhere = rootCause === null ? "" : " The root cause is another job.";
        const sentence = `The verdict is ${verdict}.${because}${elsewhere} ${remedies.length} remedies.`;
        return toAnswer(sentence, { ...explanation });
      }),
  );
};
