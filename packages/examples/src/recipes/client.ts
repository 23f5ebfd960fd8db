import {
  createInProcessStateAdapter,
  createQueuert,
  type DefineBlocker,
  defineUnionJobTypes,
} from "queuert";

export const jobTypes = defineUnionJobTypes<{
  "daily-report": { input: null; output: null };
  "send-mail": { input: { to: string }; output: { sent: boolean } };
  "resize-image": { input: { url: string }; output: { path: string } };
  "make-album": {
    input: null;
    output: { paths: string[] };
    blockers: DefineBlocker<"resize-image">[];
  };
}>();

// The recipes need nothing of a particular store.
export const openClient = () =>
  createQueuert({
    stateAdapter: createInProcessStateAdapter(),
    jobTypeDefinitions: jobTypes,
    log: () => undefined,
  });

export type Client = Awaited<ReturnType<typeof openClient>>;
