// A line without axes, beside a number that says how much it is.
import type { JSX } from "preact";

const width = 96;
const height = 20;

export const Spark = ({ values }: { readonly values: readonly number[] }): JSX.Element | null => {
  if (values.every((value) => value === 0)) return null;
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)} ${(height - 1 - (value / most) * (height - 3)).toFixed(1)}`,
  );
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path class="spark-area" d={`M0 ${height}L${points.join("L")}L${width} ${height}Z`} />
      <path class="spark-line" d={`M${points.join("L")}`} />
    </svg>
  );
};
