// Lanes by time: blocked, due, running and waiting parts of each job. Parts in which nothing happens are folded.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { TreeAnswer } from "../../src/api-types.ts";
import type { Job } from "../answers/types.ts";
import { duration, instant } from "../format.ts";
import { StatusShape, statusWord, toneOf } from "../parts/status.tsx";
import { href, route } from "../router.ts";
import { BundleCounts, LaneLabel, OutsideNode } from "./lane-label.tsx";
import type { Lane } from "./lane-model.ts";
import type { LanesProps } from "./lanes.tsx";
import {
  blockedUntil,
  createAxis,
  type Interval,
  intervalsOf,
  type TimeAxis,
} from "./time-model.ts";

const rowHeight = 34;
const areaWidth = 960;

export const TimeView = ({ tree, picture, jobId, opened }: LanesProps): JSX.Element => {
  const { intervals, axis } = useMemo(() => timesOf(tree), [tree]);
  return (
    <>
      <div
        class="lanes scroll-x"
        tabIndex={0}
        role="group"
        aria-label="The jobs over time. The view List has the same as text."
      >
        <div class="lane-labels timed">
          {picture.lanes.map((lane) => (
            <LaneLabel key={lane.sequence.id} lane={lane} opened={opened} />
          ))}
        </div>
        <div
          class="lane-area timed"
          style={{ width: `${areaWidth}px`, height: `${heightOf(picture.lanes.length)}px` }}
        >
          <Axis axis={axis} rows={picture.lanes.length} />
          {picture.lanes.map((lane, row) => (
            <LaneBars
              key={lane.sequence.id}
              lane={lane}
              row={row}
              axis={axis}
              intervals={intervals}
              jobId={jobId}
            />
          ))}
        </div>
      </div>
      <Legend />
    </>
  );
};

const timesOf = (
  tree: TreeAnswer,
): { readonly intervals: ReadonlyMap<string, readonly Interval[]>; readonly axis: TimeAxis } => {
  const now = Date.parse(tree.at);
  const until = blockedUntil(tree, now);
  const intervals = new Map(
    tree.jobs.map((job) => [
      job.id,
      intervalsOf(job, tree.attempts?.[job.id] ?? [], until.get(job.id) ?? null, now),
    ]),
  );
  const instants = [...intervals.values()].flat().flatMap(({ from, to }) => [from, to]);
  return { intervals, axis: createAxis(instants.length === 0 ? [now, now + 1] : instants) };
};

const x = (place: number): number => 12 + place * (areaWidth - 120);
const headHeight = 28;

/** The lengths of folded parts stand below the lanes. */
const footHeight = 20;
const heightOf = (rows: number): number => headHeight + rows * rowHeight + footHeight;

const second = (time: number): number => Math.floor(time / 1_000);

/** Ticks within one second are told by their milliseconds. */
const tickText = (time: number, { ticks }: TimeAxis): string => {
  const at = new Date(time);
  const isAlone = ticks.filter((tick) => second(tick.time) === second(time)).length === 1;
  const text = instant(at, new Date(ticks[0]?.time ?? time));
  return isAlone ? text : `${text}.${String(at.getMilliseconds()).padStart(3, "0")}`;
};

const Axis = ({ axis, rows }: { readonly axis: TimeAxis; readonly rows: number }): JSX.Element => {
  const height = heightOf(rows);
  return (
    <svg class="axis" width={areaWidth} height={height} aria-hidden="true">
      {axis.ticks.map(({ time, at }) => (
        <g key={time}>
          <line x1={x(at)} x2={x(at)} y1={headHeight - 6} y2={height - footHeight} />
          <text x={x(at) + 4} y={16}>
            {tickText(time, axis)}
          </text>
        </g>
      ))}
      {axis.folds.map(({ at, ms }) => (
        <g key={at} class="fold-mark">
          <rect x={x(at) - 9} y={headHeight} width={18} height={height - headHeight - footHeight} />
          <text x={x(at)} y={height - 6} text-anchor="middle">
            {duration(ms)}
          </text>
        </g>
      ))}
    </svg>
  );
};

const LaneBars = ({
  lane,
  row,
  axis,
  intervals,
  jobId,
}: {
  readonly lane: Lane;
  readonly row: number;
  readonly axis: TimeAxis;
  readonly intervals: ReadonlyMap<string, readonly Interval[]>;
  readonly jobId: string | null;
}): JSX.Element => {
  const top = `${headHeight + row * rowHeight + 5}px`;
  if (lane.bundled.length > 0) {
    return (
      <div class="node bundle" style={{ left: "12px", top, height: "24px" }}>
        <BundleCounts lane={lane} />
      </div>
    );
  }
  if (lane.nodes.length === 0) {
    return (
      <div class="node-place" style={{ left: "12px", top }}>
        <OutsideNode lane={lane} />
      </div>
    );
  }
  return (
    <>
      {lane.nodes.map(({ job }, index) => (
        <JobBars
          key={job.id}
          job={job}
          top={top}
          axis={axis}
          intervals={intervals.get(job.id) ?? []}
          isHere={job.id === jobId}
          isLast={index === lane.nodes.length - 1}
        />
      ))}
    </>
  );
};

const words: Readonly<Record<Interval["kind"], string>> = {
  blocked: "blocked",
  waits: "waited for its time",
  due: "due, waited for a worker",
  failed: "ran and did not complete",
  ran: "ran",
};

const JobBars = ({
  job,
  top,
  axis,
  intervals,
  isHere,
  isLast,
}: {
  readonly job: Job;
  readonly top: string;
  readonly axis: TimeAxis;
  readonly intervals: readonly Interval[];
  readonly isHere: boolean;
  readonly isLast: boolean;
}): JSX.Element => {
  const end = Math.max(...intervals.map(({ to }) => to), Date.parse(job.createdAt));
  const word = statusWord(job, end);
  return (
    <a
      class={`job-bars${isHere ? " here" : ""}`}
      href={href("job", job.id, { view: route.value.params.get("view") })}
      aria-label={`${job.typeName}, ${word}`}
    >
      {intervals.map(({ kind, from, to }) => (
        <i
          key={`${kind} ${from}`}
          class={`bar-part part-${kind}`}
          title={`${job.typeName}: ${words[kind]} for ${duration(to - from)}`}
          style={{
            left: `${x(axis.at(from))}px`,
            top,
            width: `${Math.max(kind === "ran" || kind === "failed" ? 4 : 1, x(axis.at(to)) - x(axis.at(from)))}px`,
          }}
        />
      ))}
      {isLast && (
        <span
          class={`bar-end tone-${toneOf(word)}`}
          style={{ left: `${x(axis.at(end)) + 6}px`, top }}
        >
          <StatusShape word={word} /> {job.typeName}
        </span>
      )}
    </a>
  );
};

const Legend = (): JSX.Element => (
  <ul class="legend" aria-hidden="true">
    {(["ran", "failed", "due", "waits", "blocked"] as const).map((kind) => (
      <li key={kind}>
        <i class={`bar-part part-${kind}`} /> {words[kind]}
      </li>
    ))}
  </ul>
);
