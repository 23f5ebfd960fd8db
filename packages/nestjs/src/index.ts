export { QueuertModule } from "./queuert-module.ts";
export type { QueuertModuleAsyncOptions, QueuertModuleOptions } from "./options.ts";
export {
  createQueuertDecorators,
  type ProcessContextOf,
  type ProcessJobOptions,
  type QueuertDecorators,
} from "./process-job.ts";
export { QueuertWorkers } from "./queuert-workers.ts";
export { QueuertNestScopeError } from "./errors.ts";
export { QUEUERT } from "./tokens.ts";
