// The one file that knows the chart library. It is loaded when the first chart is drawn.
import UPlot from "uplot";
import { valuesAlone } from "./values-alone.ts";

export interface PlotLine {
  readonly label: string;
  /** A colour of the style sheet, such as `--completed`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
}

export interface PlotData {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  /** Powers of ten have the same distance. */
  readonly isLogarithmic: boolean;
  readonly format: (value: number) => string;
}

const height = 180;

export interface Plot {
  readonly update: (data: PlotData) => void;
  readonly resize: (width: number) => void;
  readonly destroy: () => void;
}

export const drawPlot = (target: HTMLElement, data: PlotData): Plot => {
  const width = target.clientWidth;
  const plot = new UPlot({ width, height, ...optionsOf(target, data) }, valuesOf(data), target);
  return {
    update: (next) => plot.setData(valuesOf(next)),
    resize: (next) => plot.setSize({ width: next, height }),
    destroy: () => plot.destroy(),
  };
};

const valuesOf = ({ times, lines }: PlotData): UPlot.AlignedData => [
  [...times],
  ...lines.map(({ values }) => [...values]),
];

const optionsOf = (
  target: HTMLElement,
  { lines, isLogarithmic, format }: PlotData,
): Omit<UPlot.Options, "width" | "height"> => {
  const style = getComputedStyle(target);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--muted"),
    font: `11px ${colour("--sans")}`,
    ticks: { show: false },
    border: { show: false },
  };
  const grid = { stroke: colour("--line"), width: 1 };
  return {
    padding: [8, 16, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { live: true },
    scales: {
      y: isLogarithmic
        ? { distr: 3, log: 10 }
        : { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 28, values: hours },
      {
        ...axis,
        grid,
        size: 56,
        values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : format(tick))),
      },
    ],
    series: [
      { label: "Time", value: (_, time) => (time === null ? "" : clock.format(time * 1_000)) },
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 1.5,
        points: { size: 5, filter: alone },
        spanGaps: false,
        ...(line.isFilled === true && {
          fill: `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)`,
        }),
        value: (_: UPlot, value: number | null) => (value === null ? "–" : format(value)),
      })),
    ],
  };
};

/** Null: the plot decides, by the density of the values. */
const alone = (plot: UPlot, index: number, isShown: boolean): number[] | null => {
  const found = isShown ? [] : valuesAlone(plot.data[index] ?? []);
  return found.length === 0 ? null : found;
};

const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Ticks of a day or more are days. */
const hours = (_: UPlot, ticks: readonly number[]): string[] => {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((tick) => (step >= 86_400 ? day : hour).format(tick * 1_000));
};
