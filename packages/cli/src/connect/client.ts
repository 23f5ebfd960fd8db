import {
  createQueuert,
  defineUnionJobTypes,
  type JobTypes,
  type NotifyAdapter,
  type Queuert,
} from "queuert";
import type { ConfiguredStateAdapter } from "../config/define-config.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { safeLine } from "../output/safe-text.ts";

/** Any job type: the command line learns the names from the store or from a catalogue. */
// oxlint-disable-next-line typescript/consistent-indexed-object-style -- a mapped type has no index signature to check
type AnyDefinitions = { [typeName: string]: { input: unknown; output: unknown } };

/** The public API, on the store of a command. */
export type Client = Queuert<JobTypes<AnyDefinitions>, ConfiguredStateAdapter>;

export const createClient = (
  { jobTypeDefinitions }: Pick<ResolvedConfig, "jobTypeDefinitions">,
  stateAdapter: ConfiguredStateAdapter,
  notifyAdapter: NotifyAdapter | undefined,
  stderr: NodeJS.WritableStream,
): Promise<Client> =>
  createQueuert({
    stateAdapter,
    notifyAdapter,
    // The catalogue, if there is one, checks names and payloads. Its types are not known here.
    jobTypeDefinitions: (jobTypeDefinitions ??
      defineUnionJobTypes<AnyDefinitions>()) as JobTypes<AnyDefinitions>,
    log: ({ level, type, message }) => {
      // The error of a statement rejects the call, and is printed there.
      if (type === "stateAdapterError" || (level !== "warn" && level !== "error")) return;
      stderr.write(`${level}: ${safeLine(message)}
`);
    },
  });
