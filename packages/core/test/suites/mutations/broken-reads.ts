// How reading goes wrong.
import type { Breakers } from "./breaker.ts";

export const brokenReads: Breakers<
  | "getStoreId"
  | "pause"
  | "resume"
  | "getPauses"
  | "getJobs"
  | "getSequences"
  | "getBlockers"
  | "listBlockerEdges"
  | "listJobs"
  | "listSequences"
  | "summarize"
> = {
  getStoreId: {
    "every call returns another identity": (good) => ({
      ...good,
      getStoreId: async () => Math.random().toString(36).slice(2, 12).padEnd(8, "0"),
    }),
    "the identity is too long for the name of a channel": (good) => ({
      ...good,
      getStoreId: async () => "0123456789abcdef0123456789abcdef",
    }),
  },
  pause: {
    "a pause does nothing": (good) => ({ ...good, pause: async () => undefined }),
    "a pause never ends": (good) => ({
      ...good,
      pause: (params) => good.pause({ ...params, forMs: null }),
    }),
    "every type is paused with one": (good) => ({
      ...good,
      pause: (params) =>
        good.pause({ ...params, targets: params.targets.map(() => ({ typeName: null })) }),
    }),
    "the earlier pause stands": (good) => ({
      ...good,
      pause: async (params) => {
        const paused = (await good.getPauses()).map(({ typeName }) => typeName);
        const targets = params.targets.filter(({ typeName }) => !paused.includes(typeName));
        return good.pause({ ...params, targets });
      },
    }),
    "the due time of a paused job is waited for": (good) => ({
      ...good,
      acquireJobs: async (params) => {
        const result = await good.acquireJobs(params);
        return { ...result, nextDueInMs: result.nextDueInMs ?? 0 };
      },
    }),
  },
  resume: {
    "resuming does nothing and says it did": (good) => ({
      ...good,
      resume: async ({ targets }) => targets.map(() => true),
    }),
  },
  getPauses: {
    "notes are left out": (good) => ({
      ...good,
      getPauses: async () => (await good.getPauses()).map((one) => ({ ...one, note: null })),
    }),
    "pauses are in any order": (good) => ({
      ...good,
      getPauses: async () => [...(await good.getPauses())].reverse(),
    }),
  },
  getJobs: {
    "missing jobs are left out of the answer": (good) => ({
      ...good,
      getJobs: async (params) => (await good.getJobs(params)).filter((job) => job !== undefined),
    }),
    "a repeated id is answered once": (good) => ({
      ...good,
      getJobs: (params) => good.getJobs({ ...params, ids: [...new Set(params.ids)] }),
    }),
  },
  getSequences: {
    "the current job is the first": (good) => ({
      ...good,
      getSequences: async (params) =>
        (await good.getSequences(params)).map((each) => each && { ...each, current: each.first }),
    }),
  },
  getBlockers: {
    "unfinished blockers are left out": (good) => ({
      ...good,
      getBlockers: async (params) =>
        (await good.getBlockers(params)).map((list) =>
          list.filter(({ current }) => current.status === "completed"),
        ),
    }),
    "blockers are in the order of their creation": (good) => ({
      ...good,
      getBlockers: async (params) =>
        (await good.getBlockers(params)).map((list) =>
          [...list].sort((one, other) => one.first.ordinal - other.first.ordinal),
        ),
    }),
  },
  listBlockerEdges: {
    "edges are found from one end only": (good) => ({
      ...good,
      listBlockerEdges: async (params) =>
        (await good.listBlockerEdges(params)).filter((edge) =>
          params.ids.includes(edge.blockerSequenceId),
        ),
    }),
  },
  listJobs: {
    "pages begin with the last job of the page before": (good) => ({
      ...good,
      listJobs: (params) =>
        good.listJobs({
          ...params,
          afterOrdinal:
            params.afterOrdinal === null
              ? null
              : params.afterOrdinal + (params.order === "asc" ? -1 : 1),
        }),
    }),
    "lists ignore the end of their time": (good) => ({
      ...good,
      listJobs: (params) => good.listJobs({ ...params, createdTo: null }),
    }),
    "lists know one order": (good) => ({
      ...good,
      listJobs: (params) => good.listJobs({ ...params, order: "asc" }),
    }),
  },
  listSequences: {
    "the status of a sequence is that of its first job": (good) => ({
      ...good,
      listSequences: async ({ statuses, ...params }) =>
        (await good.listSequences({ ...params, statuses: null })).filter(
          ({ first }) => statuses === null || statuses.includes(first.status),
        ),
    }),
  },
  summarize: {
    "the summary counts expired leases as none": (good) => ({
      ...good,
      summarize: async (params) => ({ ...(await good.summarize(params)), expiredLeaseCount: 0 }),
    }),
    "failed jobs are not counted": (good) => ({
      ...good,
      summarize: async (params) => {
        const summary = await good.summarize(params);
        return {
          ...summary,
          counts: summary.counts.filter(({ status }) => status !== "failed"),
        };
      },
    }),
  },
};
