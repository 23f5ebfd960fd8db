/** Per second. */
export const rate = async (count: number, run: () => Promise<void>): Promise<number> => {
  const startedAt = performance.now();
  await run();
  return (count * 1_000) / (performance.now() - startedAt);
};

export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

export const median = (values: readonly number[]): number => quantile(values, 0.5);
