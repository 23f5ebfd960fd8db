import { openQueuert } from "../jobs/open-queuert";

// Instrumentation and routes are two bundles: this module is loaded twice, and globalThis exists once.
const shared = globalThis as { queuert?: ReturnType<typeof openQueuert> };
export const getQueuert = () => (shared.queuert ??= openQueuert());
