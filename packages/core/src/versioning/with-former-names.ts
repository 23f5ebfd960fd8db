// A state adapter as a client with renamed job types sees it. Names are widened on the way in: a query for a type asks for all
// its names. On the way out each record has the name of today. Clients without former names do not have this wrapper.
import { mapMethods } from "../adapter-kit/wrap-adapters.ts";
import type { StoreCondition } from "../adapters/job-condition.ts";
import type { NotifyAdapter } from "../adapters/notify-adapter.ts";
import type { OperatorStore, WorkerType } from "../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import type { PauseTarget, StatePause } from "../adapters/state-adapter-params.ts";
import type { StateSummary } from "../adapters/state-adapter-queries.ts";
import { acquireByAllNames } from "./acquire-by-all-names.ts";
import { createByAllNames } from "./create-by-all-names.ts";
import type { FormerNames } from "./former-names.ts";
import { renameRecords } from "./rename-records.ts";

/** Their results are the caller's own, or have no record. */
const untouched: ReadonlySet<string> = new Set([
  "provideContext",
  "runInTransaction",
  "isInTransaction",
  "getStoreId",
  "listWorkers",
]);

/** The same adapter, with each job of a former name as one of the current name. */
export const withFormerNames = (adapter: AnyStateAdapter, names: FormerNames): AnyStateAdapter => {
  const state = mapMethods(adapter, (method, name) =>
    untouched.has(name)
      ? method
      : async (...args) => renameRecords(await method(...args), names.currentOf),
  );
  return {
    ...state,
    createJobs: (params) => createByAllNames(state, names, params),
    acquireJobs: (params) => acquireByAllNames(state, names, params),
    listJobs: ({ typeNames, sequenceTypeNames = null, ...others }) =>
      state.listJobs({
        ...others,
        typeNames: widen(names, typeNames),
        sequenceTypeNames: widen(names, sequenceTypeNames),
      }),
    listSequences: ({ typeNames, ...others }) =>
      state.listSequences({ ...others, typeNames: widen(names, typeNames) }),
    summarize: async (params) => joinCounts(await state.summarize(params)),
    pause: ({ targets, ...others }) =>
      state.pause({ ...others, targets: targets.flatMap((target) => widenTarget(names, target)) }),
    resume: async ({ targets }) => {
      const widened = targets.map((target) => widenTarget(names, target));
      const results = [...(await state.resume({ targets: widened.flat() }))];
      return widened.map((group) => results.splice(0, group.length).includes(true));
    },
    getPauses: async () => joinPauses(await state.getPauses()),
    operator: adapter.operator && widenOperator(adapter.operator, names),
  };
};

const widen = (
  { allOf }: FormerNames,
  typeNames: readonly string[] | null,
): readonly string[] | null => typeNames && typeNames.flatMap(allOf);

const widenTarget = ({ allOf }: FormerNames, target: PauseTarget): readonly PauseTarget[] =>
  target.typeName === null
    ? [target]
    : allOf(target.typeName).map((typeName) => ({ ...target, typeName }));

/** Each count by the name of today. */
const joinCounts = ({ counts, oldestReady, ...others }: StateSummary): StateSummary => {
  const joined = new Map<string, StateSummary["counts"][number]>();
  for (const one of counts) {
    const key = `${one.status} ${one.typeName}`;
    joined.set(key, { ...one, count: one.count + (joined.get(key)?.count ?? 0) });
  }
  const oldest = new Map<string, StateSummary["oldestReady"][number]>();
  for (const one of oldestReady) {
    const before = oldest.get(one.typeName);
    const ageMs = Math.max(one.ageMs, before?.ageMs ?? 0);
    oldest.set(one.typeName, { ...one, ageMs, dueCount: one.dueCount + (before?.dueCount ?? 0) });
  }
  return { ...others, counts: [...joined.values()], oldestReady: [...oldest.values()] };
};

/** One pause for each type: the names were paused together. */
const joinPauses = (pauses: readonly StatePause[]): readonly StatePause[] => [
  ...new Map(pauses.map((pause) => [pause.typeName, pause])).values(),
];

const widenOperator = (operator: OperatorStore, names: FormerNames): OperatorStore => {
  const renamed = mapMethods(operator, (method, name) =>
    untouched.has(name)
      ? method
      : async (...args) => renameRecords(await method(...args), names.currentOf),
  );
  const { examineJobs, countJobs, listNext, beat, listMetrics } = renamed;
  const widenAll = (conditions: readonly StoreCondition[]): readonly StoreCondition[] =>
    conditions.map((one) => widenCondition(one, names));
  return {
    ...renamed,
    ...(examineJobs && {
      examineJobs: (params) => examineJobs({ ...params, conditions: widenAll(params.conditions) }),
    }),
    ...(countJobs && {
      countJobs: (params) => countJobs({ ...params, conditions: widenAll(params.conditions) }),
    }),
    ...(listNext && {
      listNext: async ({ typeName, ...others }) => {
        const ofNames = names
          .allOf(typeName)
          .map((name) => listNext({ ...others, typeName: name }));
        const found = await Promise.all(ofNames);
        return { ids: found.flatMap(({ ids }) => ids), isCut: found.some(({ isCut }) => isCut) };
      },
    }),
    ...(listMetrics && {
      listMetrics: (params) =>
        listMetrics({ ...params, typeNames: widen(names, params.typeNames) }),
    }),
    // The explanation of a job in another process compares the stored names.
    ...(beat && {
      beat: (params) =>
        beat({
          ...params,
          workers: params.workers.map((worker) => ({
            ...worker,
            types: worker.types.flatMap((type) => widenType(type, names)),
          })),
        }),
    }),
  };
};

const widenType = (type: WorkerType, { allOf }: FormerNames): readonly WorkerType[] =>
  allOf(type.typeName).map((typeName) => ({ ...type, typeName }));

const widenCondition = (condition: StoreCondition, { allOf }: FormerNames): StoreCondition =>
  condition.field === "text" && (condition.of === "typeName" || condition.of === "sequenceTypeName")
    ? { ...condition, anyOf: condition.anyOf.flatMap(allOf) }
    : condition;

/** Jobs that a process of the version before has started wake workers of this one. */
export const listenByAllNames = (adapter: NotifyAdapter, names: FormerNames): NotifyAdapter => ({
  ...adapter,
  listenJobScheduled: ({ typeNames, onJobScheduled, demand }) =>
    adapter.listenJobScheduled({
      typeNames: typeNames.flatMap(names.allOf),
      onJobScheduled: (typeName, count) => onJobScheduled(names.currentOf(typeName), count),
      ...(demand && {
        demand: (typeName: string, offered?: number) => demand(names.currentOf(typeName), offered),
      }),
    }),
});
