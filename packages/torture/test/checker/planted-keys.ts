// Limits by key: their bounds, their pauses and their turns.
import type { Bounds, ControlEntry, Crowd } from "../../src/checker/control-history.ts";
import { anErrand, ranErrands } from "./errand-histories.ts";
import { aHistory, control, instant } from "./histories.ts";
import type { Planted } from "./planted.ts";

const perKey = (bounds: Partial<Bounds>): readonly ControlEntry[] => [
  {
    ...{ kind: "setting", at: instant(-100), call: "c", typeName: "errand" },
    value: { perKey: { concurrency: null, rate: null, ...bounds } },
  },
  { kind: "set", at: instant(-50), call: "c" },
];

const ofKey = (bounds: Partial<Bounds>): readonly ControlEntry[] => [
  {
    ...{ kind: "setting", at: instant(-40), call: "d", typeName: "errand", key: "k0" },
    value: { ofKey: { concurrency: null, rate: null, ...bounds } },
  },
  { kind: "set", at: instant(-30), call: "d" },
];

const crowd: Crowd = {
  ...{ typeName: "errand", key: "k0", at: instant(500) },
  acquiredAt: [0, 1, 2].map(instant),
};

const ids = ["a", "b", "c"];
const errands = ids.map((id) => anErrand(id));
const ranAll = ids.flatMap((id) => ranErrands([id]));

const many = Array.from({ length: 8 }, (_, index) => `noisy${index}`);

/** One job waits for those of another key, which are acquired one by one. */
const waiting = (before: readonly ControlEntry[] = [], typeName = "errand") =>
  aHistory({
    entries: [
      { kind: "errandsStarted", at: instant(0), ids: ["a"] },
      ...before,
      ...many.flatMap((id, index) => ranErrands([id], { typeName, at: 2_000 + index })),
      ...ranErrands(["a"], { at: 3_000 }),
    ],
    control: control({
      roomMax: 2,
      jobs: [
        anErrand("a", {}, { lastAttemptAt: new Date(instant(3_000)), finishedAt: 3_100 }),
        ...many.map((id, index) =>
          anErrand(
            id,
            { key: "noisy" },
            { typeName, lastAttemptAt: new Date(instant(2_000 + index)) },
          ),
        ),
      ],
    }),
  });

export const plantedKeys: readonly Planted[] = [
  {
    rule: "never more than the limit of a key at once",
    how: "a third job found room for two of each key",
    history: aHistory({
      entries: perKey({ concurrency: 2 }),
      control: control({ crowds: [crowd] }),
    }),
  },
  {
    rule: "never more than the limit of a key at once",
    how: "a second job found room for the key's own one",
    history: aHistory({
      entries: [...perKey({ concurrency: 5 }), ...ofKey({ concurrency: 1 })],
      control: control({ crowds: [crowd] }),
    }),
  },
  {
    rule: "never more starts of a key than its rate allows",
    how: "three at once of two in a second",
    history: aHistory({
      entries: [...perKey({ rate: { count: 2, perMs: 1_000, burst: 1 } }), ...ranAll],
      control: control({ jobs: errands }),
    }),
  },
  {
    rule: "never more starts of a key than its rate allows",
    how: "two at once that cost two each, of three",
    history: aHistory({
      entries: [
        ...perKey({ rate: { count: 2, perMs: 1_000, burst: 2 } }),
        ...ranErrands(["a"]),
        ...ranErrands(["b"]),
      ],
      control: control({ jobs: ["a", "b"].map((id) => anErrand(id, { cost: 2 })) }),
    }),
  },
  {
    rule: "a permit ends with its attempt",
    how: "one of a key is counted although nothing runs",
    history: aHistory({
      control: control({ permitsLeft: [{ typeName: "errand", key: "k0", running: 1 }] }),
    }),
  },
  {
    rule: "no job of a paused type begins",
    how: "its key is paused",
    history: aHistory({
      entries: [
        {
          ...{ kind: "setting", at: instant(-100), call: "c", typeName: "errand", key: "k0" },
          value: { pause: { isPaused: true, forMs: null } },
        },
        { kind: "set", at: instant(-50), call: "c" },
        ...ranErrands(["a"]),
      ],
      control: control({ jobs: [anErrand("a")] }),
    }),
  },
  {
    rule: "keys take turns",
    how: "eight jobs of another key came first, of at most six",
    history: waiting(),
  },
];

/** Those of another type have turns of their own. */
export const otherType = waiting([], "courier");

/** The key is paused: it may wait. */
export const soundWait = waiting([
  {
    ...{ kind: "setting", at: instant(1_500), call: "e", typeName: "errand", key: "k0" },
    value: { pause: { isPaused: true, forMs: 2_000 } },
  },
]);
