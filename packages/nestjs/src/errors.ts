import { QueuertError } from "queuert";

/** A provider with process functions is made for each request, so no instance of it can run a job. */
export class QueuertNestScopeError extends QueuertError {
  readonly code = "QUEUERT_NEST_SCOPE" as const;
  readonly provider: string;

  constructor(provider: string, options?: ErrorOptions) {
    super(
      `Provider "${provider}" has process functions, and depends on a request: ` +
        "give it and its dependencies the default scope, or move the functions to another provider.",
      options,
    );
    this.provider = provider;
  }
}
