/** The places of values between two gaps. A line has no part there, so a chart draws them as points. */
export const valuesAlone = (values: ArrayLike<number | null | undefined>): number[] => {
  const isGap = (at: number): boolean => (values[at] ?? null) === null;
  return Array.from(values, (_, at) => at).filter(
    (at) => !isGap(at) && isGap(at - 1) && isGap(at + 1),
  );
};
