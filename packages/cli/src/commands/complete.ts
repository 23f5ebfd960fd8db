import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliNotFoundError } from "../errors.ts";
import { readPayload } from "../output/read-payload.ts";
import { safeLine } from "../output/safe-text.ts";

export const addComplete: AddCommand = (program, run) => {
  program
    .command("complete")
    .description("complete the current job of a sequence without a worker, such as an approval")
    .argument("<sequence>", "the id of the sequence")
    .requiredOption("--output <json>", "JSON, @file.json, or @- for the standard input")
    .action((id: string, { output }: { readonly output: string }) =>
      run((context) => complete(context, id, output)),
    );
};

interface CompletionStep {
  readonly job: { readonly id: string; readonly typeName: string };
  readonly complete: (job: CompletionStep["job"], callback: () => unknown) => Promise<unknown>;
}

const complete = async (context: CommandContext, id: string, given: string): Promise<Report> => {
  const output = readPayload(given, "--output", context.cwd);
  const access = await context.access({ writes: "complete" });
  const client = await access.client();
  const found = await client.getJobSequence({ id });
  if (found === undefined) throw new CliNotFoundError(`No sequence has the id ${id}.`);
  const { typeName } = found;
  const completed = await client.transaction((transaction) =>
    client.completeJobSequence({
      ...transaction,
      id,
      typeName,
      complete: async (step) => {
        // Types of outputs are the application's. Here they are unknown, and the compiler finds none that fits.
        const { job, complete } = step as unknown as CompletionStep;
        await complete(job, () => output);
        return { id: job.id, typeName: job.typeName };
      },
    }),
  );
  await client.close();
  return {
    json: {
      sequenceId: id,
      jobId: completed.id,
      typeName: completed.typeName,
      status: "completed",
    },
    lines: [`completed ${safeLine(completed.typeName)} ${safeLine(completed.id)}`],
  };
};
