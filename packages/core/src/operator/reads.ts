// The reads of an operator. Each takes one of the few slots; answers that many pages ask for are kept for a moment.
import { defaults, limits } from "../defaults.ts";
import { InvalidOptionError } from "../errors.ts";
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertInteger, assertName, assertObject } from "../model/assert-option.ts";
import { decodeCursor, encodeCursor } from "../model/cursor.ts";
import { gatherEvidence } from "./explain/evidence.ts";
import { explainJob } from "./explain/explain.ts";
import { parseFilter } from "./filter/parse-filter.ts";
import {
  findJobs,
  keptEvidence,
  keptForMs,
  type OperatorCore,
  type PageOfSearch,
  readNow,
} from "./operator-core.ts";
import type {
  FailuresReport,
  JobsPage,
  ListFailuresOptions,
  Operator,
  SearchJobsOptions,
} from "./operator-types.ts";
import { groupFailures } from "./views/failures.ts";
import { headLength, toJobView } from "./views/job-view.ts";
import { type Overview, toOverview } from "./views/overview.ts";
import { toWorkerViews } from "./views/worker-view.ts";

/** An attempt that runs for longer counts as long. */
const runningLongMs = 60 * 60_000;
/** Failed jobs that are grouped: the newest ones. */
const failuresMax = 10_000;

export const createReads = (
  core: OperatorCore,
): Pick<
  Operator,
  | "parseFilter"
  | "listJobs"
  | "getJob"
  | "explain"
  | "getOverview"
  | "listFailures"
  | "listWorkers"
  | "listActions"
> => {
  const { state, slots, cache } = core;
  return {
    parseFilter: (filter) => parseFilter(filter, core.processNow()),

    listJobs: async (given = {}) => {
      const page = readPage(given);
      return slots.run(() => listJobs(core, given, page));
    },

    getJob: async ({ id, payloads }) => {
      assertName(id, "id");
      const viewer = core.viewer(payloads);
      return slots.run(async () => {
        const [job] = await state.getJobs({ ids: [id] });
        const evidence = await gatherEvidence(state);
        if (job === undefined) return undefined;
        const listed = await state.operator?.listAttempts?.({ jobIds: [id] });
        const attempts = listed === undefined ? null : (listed[0] ?? []);
        return { ...toJobView(job, evidence, viewer, limits.payloadBytesMax), attempts };
      });
    },

    explain: async ({ id }) => slots.run(() => explainJob(state, id)),

    getOverview: async () =>
      cache.get("overview", keptForMs.overview, () => slots.run(() => getOverview(core))),

    listWorkers: async () => slots.run(async () => toWorkerViews(await keptEvidence(core))),

    listActions: async ({ limit = defaults.listLimit } = {}) => {
      assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
      return slots.run(async () => (await state.operator?.listActions?.({ limit })) ?? []);
    },

    listFailures: async (given = {}) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["filter"]);
      const key = `failures ${given.filter ?? ""}`;
      return cache.get(key, keptForMs.failures, () => slots.run(() => listFailures(core, given)));
    },
  };
};

const listJobs = async (
  core: OperatorCore,
  { filter: text = "", payloads, wholePayloads = false }: SearchJobsOptions,
  page: PageOfSearch,
): Promise<JobsPage> => {
  const viewer = core.viewer(payloads);
  const now = await readNow(core);
  const filter = parseFilter(text, now);
  const { jobs, examined, examinedTo } = await findJobs(core, filter, page, viewer, now);
  const evidence = { ...(await keptEvidence(core)), now };
  const nextCursor = examinedTo === null ? null : encodeCursor("examined", page.order, examinedTo);
  const lengthMax = wholePayloads ? limits.payloadBytesMax : headLength;
  return {
    items: jobs.map((job) => toJobView(job, evidence, viewer, lengthMax)),
    nextCursor,
    examined,
    filter,
  };
};

const getOverview = async ({ state }: OperatorCore): Promise<Overview> => {
  const summary = await state.summarize({ runningLongMs });
  return toOverview(summary, await gatherEvidence(state));
};

const listFailures = async (
  core: OperatorCore,
  { filter: text = "" }: ListFailuresOptions,
): Promise<FailuresReport> => {
  const now = await readNow(core);
  const filter = parseFilter(`status:failed ${text}`, now);
  const page = { order: "desc", limit: failuresMax, afterOrdinal: null } as const;
  const { jobs, examinedTo } = await findJobs(core, filter, page, core.viewer(undefined), now);
  return {
    at: now,
    groups: groupFailures(jobs),
    count: jobs.length,
    isAtLeast: examinedTo !== null,
  };
};

const searchOptionNames = ["filter", "order", "limit", "cursor", "payloads", "wholePayloads"];

const readPage = (given: SearchJobsOptions): PageOfSearch => {
  assertObject(given, "options");
  assertKnownOptions(given, searchOptionNames);
  const { order = "desc", limit = defaults.listLimit, cursor } = given;
  assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
  if (order !== "asc" && order !== "desc") {
    throw new InvalidOptionError("order", order, 'give "asc" or "desc"');
  }
  return { order, limit, afterOrdinal: decodeCursor("examined", order, cursor) };
};
