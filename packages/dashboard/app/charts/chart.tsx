// One chart: a sentence that sums it up, lines, and the same numbers as a table.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isDark } from "../frame/theme.ts";
import type { Plot, PlotData } from "./plot.ts";

export const Chart = ({
  title,
  summary,
  data,
}: {
  readonly title: string;
  readonly summary: string;
  readonly data: PlotData;
}): JSX.Element => {
  const isTable = useSignal(false);
  return (
    <figure class="panel chart">
      <figcaption>
        <h2>{title}</h2>
        <span class="muted">{summary}</span>
        <button type="button" class="link" onClick={() => (isTable.value = !isTable.peek())}>
          {isTable.value ? "as a chart" : "as a table"}
        </button>
      </figcaption>
      {isTable.value ? <Numbers data={data} /> : <Drawing data={data} />}
    </figure>
  );
};

const Drawing = ({ data }: { readonly data: PlotData }): JSX.Element => {
  const target = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const latest = useRef(data);
  latest.current = data;
  const labels = data.lines.map(({ label }) => label).join();
  // A theme has other colours, which the library takes once.
  const theme = isDark.value;
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    let isOver = false;
    const observer = new ResizeObserver(() => plot.current?.resize(element.clientWidth));
    void import("./plot.ts").then(({ drawPlot }) => {
      if (isOver) return;
      plot.current = drawPlot(element, latest.current);
      observer.observe(element);
    });
    return () => {
      isOver = true;
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [labels, theme]);
  useEffect(() => plot.current?.update(data), [data]);
  return <div ref={target} class="plot" aria-hidden="true" />;
};

/** Buckets without a number are left out. */
const Numbers = ({ data }: { readonly data: PlotData }): JSX.Element => {
  const { times, lines, format } = data;
  const rows = times
    .map((time, index) => ({ time, values: lines.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    <div class="chart-table" tabIndex={0} role="group" aria-label="Numbers">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <td class="nowrap">{new Date(time * 1_000).toLocaleString("en-GB")}</td>
              {values.map((value, index) => (
                <td key={lines[index]?.label} class="number">
                  {value === null ? "–" : format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
