// Bad input about signals.
import { QueuertError } from "./queuert-error.ts";

/** A signal was used as a job type with a worker, or the other way round. */
export class SignalMismatchError extends QueuertError {
  readonly code = "QUEUERT_SIGNAL_MISMATCH" as const;
  readonly typeName: string;

  constructor(typeName: string, isSignal: boolean, options?: ErrorOptions) {
    super(
      isSignal
        ? `Job type "${typeName}" is a signal, which no worker runs: use \`sendSignals\` and \`expectSignal\`.`
        : `Job type "${typeName}" is not a signal: define it with \`DefineSignal\`, or start a sequence of it.`,
      options,
    );
    this.typeName = typeName;
  }
}
