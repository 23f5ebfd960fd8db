import {
  createInProcessStateAdapter,
  createQueuert,
  type DefineBlocker,
  type DefineSignal,
  defineUnionJobTypes,
  type LimitsOptions,
} from "queuert";

export type JobTypes = {
  "daily-report": { input: null; output: null };
  "send-mail": { input: { to: string }; output: { sent: boolean } };
  reindex: { input: { doc: string; version: number }; output: null };
  "resize-image": { input: { url: string }; output: { path: string } };
  "make-album": {
    input: null;
    output: { paths: string[] };
    blockers: DefineBlocker<"resize-image">[];
  };
  "await-payment": {
    input: { order: number };
    output: { paid: boolean };
    blockers: [DefineBlocker<"payment", "optional">];
  };
  payment: DefineSignal<{ cents: number }>;
  "import-orders": { input: { customer: string }; output: null };
};

export const jobTypes = defineUnionJobTypes<JobTypes>();

// The recipes need nothing of a particular store.
export const openClient = (limits: LimitsOptions<JobTypes> = {}) =>
  createQueuert({
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions: jobTypes,
    limits,
    log: () => undefined,
  });

export type Client = Awaited<ReturnType<typeof openClient>>;
