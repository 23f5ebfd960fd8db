import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import type { Engine } from "../engine.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import { observeStep } from "../lifecycle/observe-step.ts";

/** A span around the statement that stores outcomes, one or many, for those of the attempts that are traced. */
export const observeSettle = <T>(
  engine: Engine,
  items: readonly { readonly attempt: Attempt }[],
  store: () => Promise<T>,
): Promise<T> => {
  const attempts: ObservabilitySpan[] = [];
  for (const { attempt } of items) if (attempt.span !== null) attempts.push(attempt.span);
  if (attempts.length === 0) return store();
  return observeStep(engine, () => ({ kind: "settle", attempts }), store);
};
