// Limits, pauses, cancellations, signals and waiting starts.
import type { Crowd, ControlEntry } from "../../src/checker/control-history.ts";
import type { History } from "../../src/checker/history.ts";
import { aHistory, aJob, anEdge, control, instant, pending, ran, started } from "./histories.ts";
import type { Planted } from "./planted.ts";

const limited = (concurrency: number | null, count: number | null): readonly ControlEntry[] => [
  {
    ...{ kind: "setting", at: instant(-100), call: "c", typeName: "step" },
    value: {
      bounds: { concurrency, rate: count === null ? null : { count, perMs: 1_000, burst: 1 } },
    },
  },
  { kind: "set", at: instant(-50), call: "c" },
];

const paused: readonly ControlEntry[] = [
  {
    ...{ kind: "setting", at: instant(-100), call: "c", typeName: "*" },
    value: { pause: { isPaused: true, forMs: null } },
  },
  { kind: "set", at: instant(-50), call: "c" },
];

const crowd = (...acquiredAt: readonly number[]): Crowd => ({
  ...{ typeName: "step", key: null, at: instant(500) },
  acquiredAt: acquiredAt.map(instant),
});

const cancelling = (sequenceId: string, isDone = true): readonly ControlEntry[] => [
  { kind: "cancelling", at: instant(400), call: sequenceId, sequenceId },
  { kind: "cancelled", at: instant(600), call: sequenceId, sequenceId, isDone },
];

const aCancelled = (id: string, override: Parameters<typeof aJob>[1] = {}) =>
  aJob(id, { status: "cancelled", completedBy: null, finishedAt: 500, ...override });

const aSignal = (id: string, payload: string) =>
  aJob(id, {
    ...{ typeName: "approval", input: "null", output: JSON.stringify(payload) },
    ...{ completedBy: null, deduplicationKey: "key", attempt: 0, leaseVersion: 0 },
  });

const sent = (payload: string, isFirst: boolean): ControlEntry => ({
  ...{ kind: "sent", at: instant(950), sequenceId: "s", payload, isFirst },
});

const aWaiter = (waitAtMostMs: number | null) =>
  aJob("w", { typeName: "waiter", input: JSON.stringify({ key: "key", waitAtMostMs }) });

const received = (payload: string | null, at: number): ControlEntry => ({
  ...{ kind: "received", at: instant(at), jobId: "w", leaseVersion: 1, payload },
  sequenceId: payload === null ? null : "s",
});

const aDebounced = (id: string, text: string, override: Parameters<typeof aJob>[1] = {}) =>
  aJob(id, {
    ...{ typeName: "debounced", deduplicationKey: "k" },
    input: JSON.stringify({ text, maxWaitMs: 500 }),
    ...override,
  });

const written = (text: string, at: number, isRefused = false): ControlEntry => ({
  ...{ kind: "overwritten", jobId: "d", askedAt: instant(at), at: instant(at + 10) },
  ...{ text, isRefused },
});

/** A signal that retention took, and the one that then had its key: a job that waited in vain for the second is sound. */
export const twoSignalsOfOneKey: History = aHistory({
  entries: [sent("one", true), received(null, 2_000)],
  control: control({
    jobs: [
      aSignal("s", "one"),
      { ...aSignal("t", "two"), createdAt: new Date(instant(20)) },
      { ...aWaiter(800), lastAttemptAt: new Date(instant(1_900)) },
    ],
  }),
});

export const plantedControl: readonly Planted[] = [
  {
    rule: "never more than the limit at once",
    how: "a third job found room for two",
    history: aHistory({
      entries: limited(2, null),
      control: control({ crowds: [crowd(0, 1, 2)] }),
    }),
  },
  {
    rule: "never more starts than the rate allows",
    how: "three at once of two in a second",
    history: aHistory({
      entries: [...limited(null, 2), ...ran("a"), ...ran("b"), ...ran("c")],
      jobs: ["a", "b", "c"].map((id) => aJob(id, { createdAt: 10 })),
    }),
  },
  {
    rule: "a permit ends with its attempt",
    how: "one is counted although nothing runs",
    history: aHistory({
      control: control({ permitsLeft: [{ typeName: "step", key: null, running: 1 }] }),
    }),
  },
  {
    rule: "no job of a paused type begins",
    how: "while every type is paused",
    history: aHistory({ entries: [...paused, ...ran("a")], jobs: [aJob("a")] }),
  },
  {
    rule: "a cancellation stands",
    how: "the sequence has completed after it",
    history: aHistory({ entries: [...ran("a"), ...cancelling("a")], jobs: [aJob("a")] }),
  },
  {
    rule: "a cancelled tree starts nothing new",
    how: "the job is acquired later",
    history: aHistory({
      entries: cancelling("a"),
      jobs: [aCancelled("a", { lastAttemptAt: new Date(instant(700)) })],
    }),
  },
  {
    rule: "a cancelled tree starts nothing new",
    how: "the cancelled job starts a sequence",
    history: aHistory({
      entries: [...cancelling("a"), ...ran("b", { at: instant(710) })],
      jobs: [aCancelled("a"), aJob("b", { originId: "a", createdAt: 700 })],
    }),
  },
  {
    rule: "only a cancellation cancels",
    how: "no call has asked for it",
    history: aHistory({ entries: [started("a")], jobs: [aCancelled("a")] }),
  },
  {
    rule: "no job waits for a cancelled sequence",
    how: "it is blocked by it",
    besides: ["a committed start reaches an outcome"],
    history: aHistory({
      entries: cancelling("b"),
      jobs: [aJob("a", { ...pending, status: "blocked" }), aCancelled("b")],
      edges: [anEdge("a", "b")],
    }),
  },
  {
    rule: "a signal is sent once",
    how: "two sends were the first",
    history: aHistory({
      entries: [sent("one", true), sent("one", true)],
      control: control({ jobs: [aSignal("s", "one")] }),
    }),
  },
  {
    rule: "a signal keeps the payload of its first send",
    how: "the second has overwritten it",
    history: aHistory({
      entries: [sent("one", true), sent("two", false)],
      control: control({ jobs: [aSignal("s", "two")] }),
    }),
  },
  {
    rule: "a waiting job receives the payload that was sent",
    how: "it received another one",
    history: aHistory({
      entries: [sent("one", true), received("two", 1_000)],
      control: control({ jobs: [aSignal("s", "one"), aWaiter(null)] }),
    }),
  },
  {
    rule: "a job waits for its signal until the end of its wait",
    how: "it ran before the end",
    history: aHistory({
      entries: [received(null, 300)],
      control: control({ jobs: [aWaiter(800)] }),
    }),
  },
  {
    rule: "a job waits for its signal until the end of its wait",
    how: "it ran without a signal that had been sent",
    history: aHistory({
      entries: [sent("one", true), received(null, 2_000)],
      control: control({
        jobs: [aSignal("s", "one"), { ...aWaiter(800), lastAttemptAt: new Date(instant(1_900)) }],
      }),
    }),
  },
  {
    rule: "a waiting job reaches an outcome",
    how: "it waits still",
    history: aHistory({ control: control({ jobs: [{ ...aWaiter(800), status: "blocked" }] }) }),
  },
  {
    rule: "at most one job of a key waits",
    how: "another is created before the first has begun",
    history: aHistory({
      control: control({
        jobs: [
          aDebounced("d", "one", { lastAttemptAt: new Date(instant(100)) }),
          aDebounced("e", "two", { createdAt: 50 }),
        ],
      }),
    }),
  },
  {
    rule: "a waiting job has the input that was written last",
    how: "an earlier one stands",
    history: aHistory({
      entries: [written("one", 0), written("two", 20)],
      control: control({ jobs: [aDebounced("d", "one")] }),
    }),
  },
  {
    rule: "a waiting job has the input that was written last",
    how: "a refused update stands",
    history: aHistory({
      entries: [written("one", 0), written("two", 20, true)],
      control: control({ jobs: [aDebounced("d", "two")] }),
    }),
  },
  {
    rule: "a waiting job is due within its longest wait",
    how: "a second later",
    history: aHistory({
      control: control({
        jobs: [aDebounced("d", "one", { scheduledAt: new Date(instant(1_500)) })],
      }),
    }),
  },
];
