import { UnknownJobError } from "queuert/operator";
import { z } from "zod";
import {
  fitted,
  guarded,
  reads,
  toAnswer,
  type Tool,
  type ToolContext,
  toShownJob,
} from "../tool.ts";

const cutAt = 2_000;

/** Lines of the log, the newest last. */
const linesMax = 20;
const lineCutAt = 300;

const tailOf = async ({ operator }: Pick<ToolContext, "operator">, id: string) => {
  const { lines } = await operator.getLogs({ id });
  return lines.slice(-linesMax).map(({ attempt, at, level, message, data }) => ({
    ...{ attempt, at, level, message: message.slice(0, lineCutAt) },
    ...(data !== null && { data: data.slice(0, lineCutAt) }),
  }));
};

const inputSchema = z.object({ id: z.string().min(1).max(255).describe("The id of the job.") });

export const addShowJob: Tool["add"] = (server, context) => {
  server.registerTool(
    "show_job",
    {
      title: "Show a job",
      description:
        "One job with its last error, the attempts that did not complete it, and the last lines that it logged.",
      inputSchema,
      annotations: reads,
    },
    ({ id }) =>
      guarded(async () => {
        const found = await context.operator.getJob({ id });
        if (found === undefined) throw new UnknownJobError(id);
        const { attempts, ...whole } = found;
        const cut = <T extends { readonly text: string } | null>(head: T): T =>
          head === null ? head : { ...head, text: head.text.slice(0, cutAt) };
        const { input, output, error } = whole;
        const shown = { ...whole, input: cut(input), output: cut(output), error: cut(error) };
        const job = toShownJob(shown, context);
        const logs = context.hasLogs ? await tailOf(context, id) : null;
        const rest = { job, ...(logs !== null && { logs }) };
        const { items, leftOut } = fitted([...(attempts ?? [])].reverse(), rest);
        return toAnswer(`The job is ${found.status}.`, {
          ...rest,
          attempts: attempts === null ? null : items,
          attemptsLeftOut: leftOut,
        });
      }),
  );
};
