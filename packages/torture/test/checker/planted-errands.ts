// Errands: in batches, with given ids, and in plans of operators.
import type { ControlEntry } from "../../src/checker/control-history.ts";
import { anErrand, ranErrands } from "./errand-histories.ts";
import { aHistory, control, instant } from "./histories.ts";
import type { Planted } from "./planted.ts";

const bulkJobs = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    anErrand(`b${index}`, {}, { typeName: "bulk", lastAttemptAt: new Date(instant(100)) }),
  );

const bulk = (count: number, at = 100) => {
  const jobs = bulkJobs(count);
  const entries = ranErrands(
    jobs.map(({ id }) => id),
    { typeName: "bulk", at },
  );
  return aHistory({ entries, control: control({ jobs }) });
};

const given = (name: string, isFirst: boolean, answeredId = "a"): readonly ControlEntry[] => [
  { kind: "idGiving", at: instant(0), id: "a", name },
  {
    ...{ kind: "idGiven", at: instant(20), askedAt: instant(0), id: "a" },
    ...{ answeredId, name, isFirst },
  },
];

const storedUnderId = (name: string) => ({
  control: control({ jobs: [anErrand("a", { name }, { output: JSON.stringify({ name }) })] }),
});

const planned = (
  action: "cancel" | "delete",
  ...results: readonly (readonly [done: number, refused: number])[]
): readonly ControlEntry[] => [
  { kind: "planMade", at: instant(0), plan: "p", action, ids: ["a", "b"], count: 2 },
  ...results.map(([done, refused]): ControlEntry => {
    return { kind: "planApplied", at: instant(10), plan: "p", done, refused };
  }),
];

const cancelled = ["a", "b"].map((id) =>
  anErrand(id, {}, { status: "cancelled", completedBy: null, output: null, leaseVersion: 0 }),
);

const ids = ["a", "b", "c"];

const plantedErrandOutcomes: readonly Planted[] = [
  {
    rule: "a committed errand exists",
    how: "it is not stored",
    history: aHistory({ entries: [{ kind: "errandsStarted", at: instant(0), ids: ["a"] }] }),
  },
  {
    rule: "an errand is stored once",
    how: "its name is there twice",
    history: aHistory({
      entries: [...ranErrands(["a"]), ...ranErrands(["b"])],
      control: control({
        jobs: ["a", "b"].map((id) => anErrand(id, { name: "one" }, { output: '{"name":"one"}' })),
      }),
    }),
  },
  {
    rule: "each job of a call has its own outcome",
    how: "it has the output of another one",
    history: aHistory({
      entries: ranErrands(["a", "b", "c"], { typeName: "bulk" }),
      control: control({
        jobs: ids.map((id) => anErrand(id, {}, { typeName: "bulk", output: '{"name":"a"}' })),
      }),
    }),
  },
  {
    rule: "each job of a call has its own outcome",
    how: "it is completed, although its attempt gave an error",
    history: aHistory({
      entries: ranErrands(["a"], { outcome: "error" }),
      control: control({ jobs: [anErrand("a")] }),
    }),
  },
  {
    rule: "a row for each errand that writes one",
    how: "there is none",
    history: aHistory({
      entries: ranErrands(["a"]),
      control: control({ jobs: [anErrand("a", { writesRow: true })] }),
    }),
  },
  {
    rule: "a row for each errand that writes one",
    how: "it is of an older attempt",
    history: aHistory({
      entries: ranErrands(["a"]),
      rows: [{ jobId: "a", leaseVersion: 0, path: "errand:a" }],
      control: control({ jobs: [anErrand("a", { writesRow: true })] }),
    }),
  },
  {
    rule: "a row for each errand that writes one",
    how: "the errand was never stored",
    history: aHistory({ rows: [{ jobId: "a", leaseVersion: 1, path: "errand:a" }] }),
  },
];

const plantedBatches: readonly Planted[] = [
  {
    rule: "a batch has at most its size",
    how: "it has six jobs, not five",
    history: bulk(6),
  },
  {
    rule: "a batch is taken when it is ripe",
    how: "two jobs, of three, after a tenth of a second",
    history: bulk(2),
  },
];

const plantedIds: readonly Planted[] = [
  {
    rule: "one start stores the job of an id",
    how: "two did",
    history: aHistory({
      entries: [...given("a", true), ...given("b", true), ...ranErrands(["a"])],
      ...storedUnderId("a"),
    }),
  },
  {
    rule: "one start stores the job of an id",
    how: "none did, and every one was answered",
    history: aHistory({
      entries: [...given("a", false), ...ranErrands(["a"])],
      ...storedUnderId("a"),
    }),
  },
  {
    rule: "a start with an id is answered with it",
    how: "it was answered with another one",
    history: aHistory({
      entries: [...given("a", true, "b"), ...ranErrands(["a"])],
      ...storedUnderId("a"),
    }),
  },
  {
    rule: "the job of a given id exists",
    how: "it is not stored",
    history: aHistory({ entries: given("a", true) }),
  },
  {
    rule: "the job of an id has the input of its first start",
    how: "it has that of the second",
    history: aHistory({
      entries: [...given("a", true), ...given("b", false), ...ranErrands(["a"])],
      ...storedUnderId("b"),
    }),
  },
];

const plantedPlans: readonly Planted[] = [
  {
    rule: "a plan is applied once",
    how: "two operators have applied it",
    history: aHistory({
      entries: planned("cancel", [2, 0], [2, 0]),
      control: control({ jobs: cancelled }),
    }),
  },
  {
    rule: "a plan changes no more than it counted",
    how: "it has changed three, not two",
    history: aHistory({
      entries: planned("cancel", [3, 0]),
      control: control({ jobs: cancelled }),
    }),
  },
  {
    rule: "the effect of a plan is stored",
    how: "one of two is not cancelled",
    history: aHistory({
      entries: [...planned("cancel", [2, 0]), ...ranErrands(["b"])],
      control: control({ jobs: [...cancelled.slice(0, 1), anErrand("b")] }),
    }),
  },
  {
    rule: "the effect of a plan is stored",
    how: "one of two is not deleted",
    history: aHistory({
      entries: [...planned("delete", [2, 0]), ...ranErrands(["b"])],
      control: control({ jobs: [anErrand("b")] }),
    }),
  },
];

export const plantedErrands: readonly Planted[] = [
  ...[...plantedErrandOutcomes, ...plantedBatches, ...plantedIds, ...plantedPlans],
];

/** The same histories with nothing planted. */
export const soundErrands = {
  bulk: bulk(3),
  oldBulk: bulk(2, 400),
} as const;
