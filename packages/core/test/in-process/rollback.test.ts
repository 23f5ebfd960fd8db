// Two stores live the same life; one of them also runs transactions that roll back and statements that fail. If either
// leaves a trace in any index, the two stop answering alike.
import { describe, expect, it as plainIt } from "vitest";
import { extendWithCommon } from "../../src/testing/extend-with-common.ts";
import { seededRandom } from "../../src/testing/random.ts";
import { aStore, type TestStore } from "./a-store.ts";
import { type Dice, dump, randomOperation } from "./random-operations.ts";

const it = extendWithCommon(plainIt);

const rolledBack = new Error("rolled back on purpose");

const createDice = (seed: number): Dice => {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  return { below, pick: (items) => items[below(items.length)], chance: (p) => random() < p };
};

/** Ordinals have gaps after a rollback, as in every store; their order is compared by the order of the lists. */
const withoutOrdinals = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer ?? null, (key, value: unknown) => (key === "ordinal" ? 0 : value)),
  );

const inTransaction = (store: TestStore, seed: number, count: number): Promise<unknown> =>
  store.state.runInTransaction(async (context) => {
    const dice = createDice(seed);
    const answers: unknown[] = [];
    for (let index = 0; index < count; index++) {
      answers.push(await randomOperation(store, dice, context));
    }
    return answers;
  });

/** Random writes, then all of it is taken back; the generator of ids too, since it belongs to the test. */
const inRolledBackTransaction = async (
  store: TestStore,
  seed: number,
  look: () => Promise<void>,
): Promise<void> => {
  const lastId = store.ids.last;
  const dice = createDice(seed);
  const transaction = store.state.runInTransaction(async (context) => {
    for (let count = 1 + dice.below(8); count > 0; count--) {
      await randomOperation(store, dice, context);
    }
    await look();
    throw rolledBack;
  });
  await expect(transaction).rejects.toBe(rolledBack);
  store.ids.last = lastId;
};

describe("a transaction that is rolled back", () => {
  it("leaves every answer of the store as it would be without it", async ({ random }) => {
    for (let life = 0; life < 6; life++) {
      const troubled = aStore();
      const calm = aStore();
      for (let step = 0; step < 60; step++) {
        const seed = Math.floor(random() * 2 ** 31);
        await inRolledBackTransaction(troubled, seed, () => Promise.resolve());
        const answers = await Promise.all(
          [troubled, calm].map((store) =>
            seed % 3 === 0
              ? inTransaction(store, seed, 3)
              : randomOperation(store, createDice(seed), undefined),
          ),
        );
        expect(withoutOrdinals(answers[0])).toEqual(withoutOrdinals(answers[1]));
        expect(withoutOrdinals(await dump(troubled))).toEqual(withoutOrdinals(await dump(calm)));
        for (const { clock } of [troubled, calm]) clock.ms += seed % 700;
      }
    }
  });

  it("is invisible outside while it is open, and visible inside", async ({ random }) => {
    let differenceCount = 0;
    for (let life = 0; life < 3; life++) {
      const store = aStore();
      for (let step = 0; step < 60; step++) {
        const seed = Math.floor(random() * 2 ** 31);
        await randomOperation(store, createDice(seed), undefined);
        const before = await dump(store);
        const looked = async (): Promise<void> => {
          expect(await dump(store)).toEqual(before);
        };
        await inRolledBackTransaction(store, seed + 1, looked);
        expect(await dump(store)).toEqual(before);
        await inTransaction(store, seed + 1, 4);
        if (JSON.stringify(await dump(store)) !== JSON.stringify(before)) differenceCount++;
        store.clock.ms += seed % 700;
      }
    }
    // The same operations, committed, do make a difference.
    expect(differenceCount).toBeGreaterThan(60);
  });

  it("sees its own writes in every answer", async ({ random }) => {
    for (let life = 0; life < 3; life++) {
      const store = aStore();
      for (let step = 0; step < 40; step++) {
        const seed = Math.floor(random() * 2 ** 31);
        await randomOperation(store, createDice(seed), undefined);
        const inside = await store.state.runInTransaction(async (context) => {
          const dice = createDice(seed + 1);
          for (let count = 0; count < 3; count++) await randomOperation(store, dice, context);
          return dump(store, context);
        });
        expect(await dump(store)).toEqual(inside);
        store.clock.ms += seed % 700;
      }
    }
  });
});
