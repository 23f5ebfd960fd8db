export const payload: { readonly text: string } = { text: "x".repeat(88) };
export const payloadText: string = JSON.stringify(payload);

/** The rate per second of a synchronous function that does `count` operations. */
export const rate = (count: number, run: () => void): number => {
  const startedAt = performance.now();
  run();
  return count / ((performance.now() - startedAt) / 1_000);
};

export const rateAsync = async (count: number, run: () => Promise<void>): Promise<number> => {
  const startedAt = performance.now();
  await run();
  return count / ((performance.now() - startedAt) / 1_000);
};

export interface BenchCase {
  readonly name: string;
  /** The case whose rate this one is compared with. */
  readonly floor?: string;
  readonly run: () => Promise<number>;
}

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;

/** Runs every case once per round, in random order; the first round warms up. */
export const measure = async (cases: readonly BenchCase[], rounds: number): Promise<void> => {
  const rates = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of cases.toSorted(() => Math.random() - 0.5)) {
      const value = await run();
      if (round > 0) rates.get(name)?.push(value);
    }
  }
  for (const { name, floor } of cases) {
    const values = rates.get(name) ?? [];
    const spread = `${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))}`;
    const ratio =
      floor === undefined ? "" : (median(values) / median(rates.get(floor) ?? [])).toFixed(2);
    console.log(
      `${name.padEnd(44)} ${String(Math.round(median(values))).padStart(8)} jobs/s  ${spread.padEnd(16)} ${ratio}`,
    );
  }
};
