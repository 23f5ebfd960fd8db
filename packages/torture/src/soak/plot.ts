// An SVG of a soak: one panel for each kind of measurement, over the minutes.
import type { Sample } from "./sample.ts";

interface Line {
  readonly name: string;
  readonly of: (sample: Sample) => number | null;
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

const mega = 1_000_000;

const panels: readonly Panel[] = [
  {
    title: "from start to process function, ms",
    lines: [
      { name: "p50", of: ({ p50 }) => p50 },
      { name: "p95", of: ({ p95 }) => p95 },
      { name: "p99", of: ({ p99 }) => p99 },
    ],
  },
  {
    title: "memory of three processes, MB",
    lines: [
      { name: "heap after collection", of: ({ heapBytes }) => heapBytes / mega },
      { name: "resident", of: ({ residentBytes }) => residentBytes / mega },
    ],
  },
  {
    title: "size of the store, MB",
    lines: [{ name: "stored", of: ({ storedBytes }) => storedBytes / mega }],
  },
  {
    title: "dead rows",
    lines: [{ name: "dead rows", of: ({ deadRows }) => deadRows }],
  },
  {
    title: "connections",
    lines: [{ name: "connections", of: ({ connections }) => connections }],
  },
];

const colors = ["#1f6feb", "#d29922", "#cf222e"];
const [width, height, left, top, gap] = [420, 150, 60, 50, 60];

const toPath = (
  samples: readonly Sample[],
  { of }: Line,
  toX: (ms: number) => number,
  toY: (value: number) => number,
): string =>
  samples
    .flatMap((sample) => {
      const value = of(sample);
      return value === null ? [] : [`${toX(sample.atMs).toFixed(1)},${toY(value).toFixed(1)}`];
    })
    .join(" ");

/** Up to the next round number. */
const ceilingOf = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return Math.ceil(value / power) * power || 1;
};

const drawPanel = (samples: readonly Sample[], { title, lines }: Panel, place: number): string => {
  const [x, y] = [left + (place % 2) * (width + gap), top + Math.floor(place / 2) * (height + gap)];
  const values = lines.flatMap(({ of }) => samples.flatMap((sample) => of(sample) ?? []));
  const most = ceilingOf(Math.max(0, ...values));
  const lastMs = samples.at(-1)?.atMs ?? 1;
  const toX = (ms: number): number => x + (ms / lastMs) * width;
  const toY = (value: number): number => y + height - (value / most) * height;
  const names = lines.map(
    ({ name }, index) =>
      `<text x="${x + width}" y="${y - 6}" text-anchor="end" dx="${-95 * (lines.length - 1 - index)}" fill="${colors[index]}">${name}</text>`,
  );
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="#8c959f"/>`,
    `<text x="${x}" y="${y - 20}" font-weight="bold">${title}</text>`,
    `<text x="${x - 6}" y="${y + 10}" text-anchor="end">${most}</text>`,
    `<text x="${x - 6}" y="${y + height}" text-anchor="end">0</text>`,
    `<text x="${x + width}" y="${y + height + 16}" text-anchor="end">${(lastMs / 60_000).toFixed(0)} min</text>`,
    ...names,
    ...lines.map(
      (line, index) =>
        `<polyline points="${toPath(samples, line, toX, toY)}" fill="none" stroke="${colors[index]}"/>`,
    ),
  ].join("\n");
};

/** Panels without a measurement are left out. */
export const plotSoak = (title: string, samples: readonly Sample[]): string => {
  const shown = panels.filter(({ lines }) =>
    lines.some(({ of }) => samples.some((sample) => of(sample) !== null)),
  );
  const rows = Math.ceil(shown.length / 2);
  const [wide, high] = [2 * (width + gap) + left, rows * (height + gap) + top + 20];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" font-family="sans-serif" font-size="11">`,
    `<rect width="${wide}" height="${high}" fill="white"/>`,
    `<text x="${left}" y="14" font-size="13">${title}</text>`,
    ...shown.map((panel, place) => drawPanel(samples, panel, place)),
    "</svg>\n",
  ].join("\n");
};
