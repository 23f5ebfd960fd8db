// `@queuert/torture`: faults on a user's own job types and store, and a checker that judges the result.
export { torture } from "./torture.ts";
export type {
  StartContext,
  TortureFault,
  TortureOptions,
  TortureReport,
  TortureViolation,
} from "./torture-options.ts";
