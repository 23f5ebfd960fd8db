// Lanes by structure: a column for each step of the longest path. Solid arrows continue, dashed ones wait.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { now } from "../answers/clock.ts";
import type { Job } from "../answers/types.ts";
import { counted, firstLine } from "../format.ts";
import { StatusShape, statusWord, toneOf } from "../parts/status.tsx";
import { href, route } from "../router.ts";
import { BundleCounts, LaneLabel, OutsideNode } from "./lane-label.tsx";
import type { Lane, LaneNode, Picture } from "./lane-model.ts";
import type { LanesProps } from "./lanes.tsx";

const columnWidth = 208;
const nodeWidth = 160;
const rowHeight = 44;
const nodeHeight = 30;

interface Place {
  readonly x: number;
  readonly y: number;
}

export const StructureView = ({ picture, jobId, opened }: LanesProps): JSX.Element => {
  const { lanes, columns } = picture;
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => showChosen(ref.current), [jobId]);
  const waits = waitsOf(picture);
  const height = lanes.length * rowHeight;
  return (
    <div ref={ref} class="lanes scroll-x" tabIndex={0} role="group" aria-label={summaryOf(picture)}>
      <div class="lane-labels">
        {lanes.map((lane) => (
          <LaneLabel key={lane.sequence.id} lane={lane} opened={opened} />
        ))}
      </div>
      <div
        class="lane-area"
        style={{ width: `${columns * columnWidth + 16}px`, height: `${height}px` }}
      >
        <Arrows picture={picture} />
        {lanes.map((lane, row) => (
          <LaneNodes key={lane.sequence.id} lane={lane} row={row} jobId={jobId} waits={waits} />
        ))}
      </div>
    </div>
  );
};

/** On a small screen the chosen job may be outside of the picture. The page itself stays where it is. */
const showChosen = (view: HTMLElement | null): void => {
  const here = view?.querySelector(".here");
  if (view === null || here === null || here === undefined) return;
  const hidden = here.getBoundingClientRect().right - view.getBoundingClientRect().right;
  if (hidden > -edge) view.scrollLeft += hidden + edge;
};
const edge = 12;

/** The arrows as words, by the job that waits: ` after charge-card, pack-order`. */
const waitsOf = ({ lanes, waits }: Picture): ReadonlyMap<string, string> => {
  const types = new Map(lanes.map(({ sequence }) => [sequence.id, sequence.typeName]));
  const words = new Map<string, string>();
  for (const { jobId, sequenceId } of waits) {
    words.set(jobId, `${words.get(jobId) ?? " after"} ${types.get(sequenceId) ?? ""},`);
  }
  return words;
};

const summaryOf = ({ lanes, waits }: Picture): string =>
  `${counted(lanes.length, "lane")} with ${counted(waits.length, "wait")} between them. The view List has the same as text.`;

const place = (rank: number, row: number): Place => ({
  x: rank * columnWidth + 12,
  y: row * rowHeight + rowHeight / 2,
});

const at = ({ x, y }: Place): { left: string; top: string } => ({
  left: `${x}px`,
  top: `${y - nodeHeight / 2}px`,
});

const LaneNodes = ({
  lane,
  row,
  jobId,
  waits,
}: {
  readonly lane: Lane;
  readonly row: number;
  readonly jobId: string | null;
  readonly waits: ReadonlyMap<string, string>;
}): JSX.Element => {
  const first = place(lane.nodes[0]?.rank ?? 0, row);
  if (lane.bundled.length > 0) {
    return (
      <div class="node bundle" style={at(first)}>
        <BundleCounts lane={lane} />
      </div>
    );
  }
  if (lane.nodes.length === 0) {
    return (
      <div class="node-place" style={at(first)}>
        <OutsideNode lane={lane} />
      </div>
    );
  }
  return (
    <>
      {lane.nodes.map((node) => (
        <NodeBox
          key={node.job.id}
          node={node}
          row={row}
          isHere={node.job.id === jobId}
          waits={waits.get(node.job.id)?.slice(0, -1) ?? ""}
        />
      ))}
    </>
  );
};

const NodeBox = ({
  node,
  row,
  isHere,
  waits,
}: {
  readonly node: LaneNode;
  readonly row: number;
  readonly isHere: boolean;
  readonly waits: string;
}): JSX.Element => {
  const { job, rank } = node;
  const word = statusWord(job, now.value);
  return (
    <a
      class={`node tone-${toneOf(word)}${isHere ? " here" : ""}`}
      style={at(place(rank, row))}
      href={href("job", job.id, { view: route.value.params.get("view") })}
      aria-current={isHere ? "true" : undefined}
      title={titleOf(job, word)}
    >
      <StatusShape word={word} />
      <span class="node-name">{job.typeName}</span>
      <span class="sr">
        {word}
        {waits}
      </span>
      {job.attempt > 1 && <small title={counted(job.attempt, "attempt")}>{job.attempt}×</small>}
    </a>
  );
};

export const titleOf = (job: Job, word: string): string =>
  [`${job.typeName}: ${word}`, job.error === null ? "" : firstLine(job.error.text)]
    .filter(Boolean)
    .join("\n");

const Arrows = ({ picture }: { readonly picture: Picture }): JSX.Element => {
  const { lanes, waits, columns } = picture;
  const rows = new Map(lanes.map(({ sequence }, row) => [sequence.id, row]));
  const places = new Map(
    lanes.flatMap(({ nodes }, row) => nodes.map(({ job, rank }) => [job.id, place(rank, row)])),
  );
  const endOf = (sequenceId: string): Place => {
    const row = rows.get(sequenceId) ?? 0;
    const lane = lanes[row];
    const last = lane?.bundled.length === 0 ? lane.nodes.at(-1) : lane?.nodes[0];
    return place(last?.rank ?? 0, row);
  };
  const open = new Set(lanes.filter(isUnfinished).map(({ sequence }) => sequence.id));
  return (
    <svg
      class="arrows"
      width={columns * columnWidth + 16}
      height={lanes.length * rowHeight}
      aria-hidden="true"
    >
      {lanes.flatMap(({ nodes, bundled }) =>
        bundled.length > 0
          ? []
          : nodes.slice(1).map(({ job }, index) => {
              const from = places.get(nodes[index]?.job.id ?? "");
              const to = places.get(job.id);
              return from && to ? (
                <path key={job.id} class="continues" d={straight(from, to)} />
              ) : null;
            }),
      )}
      {waits.map(({ jobId, sequenceId }) => {
        const to = places.get(jobId);
        const from = endOf(sequenceId);
        return to ? (
          <path
            key={`${jobId} ${sequenceId}`}
            class={open.has(sequenceId) ? "waits open" : "waits"}
            d={curve(from, to)}
          />
        ) : null;
      })}
    </svg>
  );
};

const isUnfinished = ({ sequence, bundled }: Lane): boolean =>
  [sequence, ...bundled].some(({ status }) => status !== "completed");

const tip = (x: number, y: number): string => `M${x - 5} ${y - 4}L${x} ${y}L${x - 5} ${y + 4}`;

const straight = (from: Place, to: Place): string =>
  `M${from.x + nodeWidth + 3} ${from.y}H${to.x - 3}${tip(to.x - 3, to.y)}`;

/** From the end of a blocker up to the job that waits: right, up along the gap before the job, and in. */
const curve = (from: Place, to: Place): string => {
  const turn = to.x - 22;
  const startX = from.x + nodeWidth + 3;
  const endX = to.x - 3;
  const up = to.y < from.y ? -1 : 1;
  if (to.y === from.y) return straight(from, to);
  return (
    `M${startX} ${from.y}H${turn - 8}Q${turn} ${from.y} ${turn} ${from.y + 8 * up}` +
    `V${to.y - 8 * up}Q${turn} ${to.y} ${turn + 8} ${to.y}H${endX}${tip(endX, to.y)}`
  );
};
