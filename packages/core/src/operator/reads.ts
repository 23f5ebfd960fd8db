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
import type { Operator } from "./operator-types.ts";
import type {
  FailuresReport,
  JobsPage,
  ListFailuresOptions,
  SearchJobsOptions,
} from "./read-types.ts";
import { listNext } from "./search/list-next.ts";
import type { Explanation } from "../public-types/explanation.ts";
import { createStateReads } from "./state-reads.ts";
import { createTreeReads } from "./tree-reads.ts";
import { groupFailures } from "./views/failures.ts";
import { featuresOf } from "./views/features.ts";
import { readJobLog, toJobProgress } from "./views/job-log.ts";
import { headLength, toJobView } from "./views/job-view.ts";
import { toWorkerViews } from "./views/worker-view.ts";

/** Failed jobs that are grouped: the newest ones. */
const failuresMax = 10_000;

export const createReads = (
  core: OperatorCore,
): Pick<
  Operator,
  | "features"
  | "readClock"
  | "parseFilter"
  | "listJobs"
  | "getJob"
  | "getLogs"
  | "explain"
  | "getOverview"
  | "watch"
  | "checkHealth"
  | "listFailures"
  | "listWorkers"
  | "listActions"
  | "getTree"
> => {
  const { state, slots, cache } = core;
  return {
    ...createTreeReads(core),
    ...createStateReads(core),
    features: featuresOf(state, core.engine.hasNotifyAdapter),

    readClock: async () => slots.run(() => readNow(core)),
    parseFilter: (filter) => parseFilter(filter, core.processNow()),

    listJobs: async (given = {}) => {
      if (given.order === "next") return listNext(core, given);
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
        const [stored] = (await state.operator?.listProgress?.({ jobIds: [id] })) ?? [];
        const view = toJobView(job, evidence, viewer, limits.payloadBytesMax);
        return { ...view, attempts, progress: toJobProgress(job, stored, viewer) };
      });
    },

    getLogs: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["id", "cursor", "payloads"]);
      const { id, cursor = null, payloads } = given;
      assertName(id, "id");
      const viewer = core.viewer(payloads);
      return slots.run(() => readJobLog(state, id, cursor, viewer));
    },

    explain: async (given) => explain(core, given),

    listWorkers: async () => slots.run(async () => toWorkerViews(await keptEvidence(core))),

    listActions: async ({ limit = defaults.listLimit } = {}) => {
      assertInteger(limit, "limit", { min: 1, max: limits.listLimitMax });
      return slots.run(async () => (await state.operator?.listActions?.({ limit })) ?? []);
    },

    listFailures: async (given = {}) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["filter", "payloads"]);
      const key = `failures ${core.viewer(given.payloads).view} ${given.filter ?? ""}`;
      return cache.get(key, keptForMs.failures, () => slots.run(() => listFailures(core, given)));
    },
  };
};

const explain = async (
  { state, slots, viewer }: OperatorCore,
  { id, logTail = 0 }: Parameters<Operator["explain"]>[0],
): Promise<Explanation> => {
  assertInteger(logTail, "logTail", { min: 0, max: 100 });
  const { redactText } = viewer(undefined);
  return slots.run(() => explainJob(state, id, undefined, { logTail, redactText }));
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
    at: now,
    items: jobs.map((job) => toJobView(job, evidence, viewer, lengthMax)),
    isCut: false,
    nextCursor,
    examined,
    examinedTo: await createdAtOf(core, page.order, examinedTo),
    filter,
  };
};

/** When the last job that was looked at was created: the ordinal says nothing to people. */
const createdAtOf = async (
  { state }: OperatorCore,
  order: PageOfSearch["order"],
  examinedTo: number | null,
): Promise<Date | null> => {
  if (examinedTo === null) return null;
  const isDescending = order === "desc";
  const [last] = await state.listJobs({
    typeNames: null,
    statuses: null,
    sequenceId: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    order,
    limit: 1,
    afterOrdinal: isDescending ? examinedTo + 1 : examinedTo - 1,
  });
  return last?.createdAt ?? null;
};

const listFailures = async (
  core: OperatorCore,
  { filter: text = "", payloads }: ListFailuresOptions,
): Promise<FailuresReport> => {
  const now = await readNow(core);
  const filter = parseFilter(`status:failed ${text}`, now);
  const page = { order: "desc", limit: failuresMax, afterOrdinal: null } as const;
  const { jobs, examinedTo } = await findJobs(core, filter, page, core.viewer(payloads), now);
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
    throw new InvalidOptionError("order", order, 'give "asc", "desc" or "next"');
  }
  return { order, limit, afterOrdinal: decodeCursor("examined", order, cursor) };
};
