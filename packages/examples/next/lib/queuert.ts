import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";

const openQueuert = () =>
  createQueuert({
    stateAdapter: createInProcessStateAdapter(), // yours: PostgreSQL, SQLite or MongoDB
    jobTypeDefinitions: defineUnionJobTypes<{ mail: { input: { to: string }; output: string } }>(),
  });

// Instrumentation and routes are two bundles: this module is loaded twice, and globalThis exists once.
const shared = globalThis as { queuert?: ReturnType<typeof openQueuert> };
export const getQueuert = () => (shared.queuert ??= openQueuert());
