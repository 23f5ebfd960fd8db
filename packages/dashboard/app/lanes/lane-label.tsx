// The name of a lane, at its left.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { count, shortId } from "../format.ts";
import { Status, StatusShape, toneOf } from "../parts/status.tsx";
import { href } from "../router.ts";
import type { Lane } from "./lane-model.ts";

export const LaneLabel = ({
  lane,
  opened,
}: {
  readonly lane: Lane;
  readonly opened: Signal<ReadonlySet<string>>;
}): JSX.Element => {
  const { sequence, depth, bundled } = lane;
  const indent = { paddingLeft: `${16 + Math.min(depth, 6) * 14}px` };
  if (bundled.length > 0) {
    return (
      <div class="lane-label" style={indent}>
        <span class="lane-type">
          {sequence.typeName} <b>×{count(bundled.length)}</b>
        </span>
        <button
          type="button"
          class="link"
          onClick={() => (opened.value = new Set([...opened.peek(), lane.kin]))}
        >
          open
        </button>
      </div>
    );
  }
  return (
    <div class="lane-label" style={indent}>
      <a class="lane-type" href={href("sequence", sequence.id)} title={sequence.id}>
        {sequence.typeName}
      </a>
      <span class="mono muted">{shortId(sequence.id).slice(-4)}</span>
      {sequence.isOutside && <span class="tag">other tree</span>}
    </div>
  );
};

/** How many sequences of a bundle are in which status. */
export const BundleCounts = ({ lane }: { readonly lane: Lane }): JSX.Element => {
  const counts = new Map<Lane["sequence"]["status"], number>();
  for (const { status } of lane.bundled) counts.set(status, (counts.get(status) ?? 0) + 1);
  return (
    <>
      {[...counts].map(([status, number]) => (
        <span key={status} class={`bundle-count tone-${toneOf(status)}`} title={status}>
          <StatusShape word={status} />
          {count(number)} <span class="sr">{status}</span>
        </span>
      ))}
    </>
  );
};

/** The lane of a sequence of another tree: its jobs are not loaded. */
export const OutsideNode = ({ lane }: { readonly lane: Lane }): JSX.Element => (
  <a class="node outside" href={href("job", lane.sequence.currentJobId)}>
    <Status word={lane.sequence.status} />
  </a>
);
