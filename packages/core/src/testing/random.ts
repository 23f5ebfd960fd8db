/** Numbers from 0 to below 1, the same for the same seed. */
export type Random = () => number;

/** mulberry32: small, fast, good enough to shuffle and to choose faults. */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A new array in random order. */
export const shuffled = <T>(items: readonly T[], random: Random): T[] =>
  items
    .map((item) => ({ item, key: random() }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item);

/** One of them; the list must not be empty. */
export const oneOf = <T>(items: readonly T[], random: Random): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("oneOf needs at least one item");
  return item;
};

/**
 * 1, so that a run does not fail by chance when the change is elsewhere. QUEUERT_SEED=random draws
 * a new seed, to explore. QUEUERT_SEED=<number> repeats the seed that a failed test printed.
 */
export const chooseSeed = (): number => {
  const given = process.env["QUEUERT_SEED"];
  if (given === "random") return Math.floor(Math.random() * 2 ** 31) + 1;
  const seed = Number(given);
  return Number.isInteger(seed) && seed > 0 ? seed : 1;
};
