// Durations in sentences.

/** A duration in its largest unit, such as `3 min`. */
export const duration = (ms: number): string => {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
  ];
  const found = units.find(([unitMs]) => ms >= unitMs);
  if (found === undefined) return `${Math.max(0, Math.round(ms))} ms`;
  const [unitMs, unit] = found;
  return `${Math.round(ms / unitMs)} ${unit}`;
};
