// The reads of an operator name the time after which the store ends them. The database does not go on with an answer that nothing
// waits for.
import { mapMethods } from "../../adapter-kit/wrap-adapters.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";

/** Those that read many jobs. The others look up a few rows by their key. */
const limited: ReadonlySet<string> = new Set([
  "listJobs",
  "listSequences",
  "summarize",
  "examineJobs",
  "countJobs",
  "countAhead",
  "listNext",
  "findIds",
  "listDependants",
  "listMetrics",
  "checkHealth",
]);

/** The same adapter, whose large reads end after the time. */
export const withLimitedReads = (adapter: AnyStateAdapter, timeoutMs: number): AnyStateAdapter => {
  const limit = <TMethods extends object>(methods: TMethods): TMethods =>
    mapMethods(methods, (method, name) =>
      limited.has(name) ? (params) => method({ ...(params as object), timeoutMs }) : method,
    );
  const { operator } = adapter;
  return { ...limit(adapter), operator: operator && limit(operator) };
};
