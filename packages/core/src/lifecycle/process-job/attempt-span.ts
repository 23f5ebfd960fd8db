// The span of an attempt: from its beginning until its outcome is stored, so that settling shows within it.
import type { Engine } from "../../engine.ts";
import { toLossError } from "./assert-not-over.ts";
import type { Attempt } from "./attempt.ts";

/** Goes on from where the job was stored; linked to the sequences it waited for. */
export const startAttemptSpan = ({ observer }: Engine, attempt: Attempt): void => {
  attempt.span = observer.startSpan(() => new AttemptDescription(attempt));
};

/** Its fields are made when they are read: an adapter that is not tracing reads none of them. */
class AttemptDescription {
  readonly kind = "attempt";
  readonly #attempt: Attempt;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get job(): Attempt["data"] {
    return this.#attempt.data;
  }

  get traceContext(): string | null {
    return this.#attempt.job.traceContext;
  }

  get linkedTraceContexts(): readonly string[] {
    const { blockers } = this.#attempt.acquired;
    if (blockers.length === 0) return none;
    return blockers.flatMap(({ current }) => current.traceContext ?? []);
  }
}

/** Most jobs wait for nothing. */
const none: readonly string[] = [];

/** Says what became of the attempt. Only the first call counts. */
export const endAttemptSpan = (attempt: Attempt): void => {
  const { span, result, error } = attempt;
  if (span === null) return;
  attempt.span = null;
  if (result === "completed" || result === "continued" || result === "rescheduled") {
    span.end({ kind: "ok", result });
  } else {
    span.end({
      kind: "error",
      error: error ?? toLossError(attempt),
      result: result ?? "abandoned",
    });
  }
};
