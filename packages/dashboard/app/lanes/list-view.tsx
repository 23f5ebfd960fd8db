// The tree as nested lists.
import type { JSX } from "preact";
import { now } from "../answers/clock.ts";
import type { Job } from "../answers/types.ts";
import { counted, firstLine, shortId } from "../format.ts";
import { Status, statusWord } from "../parts/status.tsx";
import { href, route } from "../router.ts";
import { BundleCounts, LaneLabel, OutsideNode } from "./lane-label.tsx";
import type { Lane } from "./lane-model.ts";
import type { LanesProps } from "./lanes.tsx";

export const ListView = ({ tree, picture, jobId, opened }: LanesProps): JSX.Element => {
  const names = new Map(tree.sequences.map(({ id, typeName }) => [id, typeName]));
  const waitsOf = (job: Job): readonly string[] =>
    tree.edges
      .filter((edge) => edge.jobId === job.id)
      .map(({ blockerSequenceId: id }) => `${names.get(id) ?? "sequence"} ${shortId(id)}`);
  return (
    <ul class="lane-list">
      {picture.lanes.map((lane) => (
        <li key={lane.sequence.id}>
          <LaneLabel lane={lane} opened={opened} />
          <Jobs lane={lane} jobId={jobId} waitsOf={waitsOf} />
        </li>
      ))}
    </ul>
  );
};

/** Blockers are named up to this. */
const namesMax = 5;

const Jobs = ({
  lane,
  jobId,
  waitsOf,
}: {
  readonly lane: Lane;
  readonly jobId: string | null;
  readonly waitsOf: (job: Job) => readonly string[];
}): JSX.Element => {
  const { nodes, bundled, depth } = lane;
  const indent = { paddingLeft: `${34 + Math.min(depth, 6) * 14}px` };
  if (bundled.length > 0 || nodes.length === 0) {
    return (
      <div class="lane-list-rest" style={indent}>
        {bundled.length > 0 ? <BundleCounts lane={lane} /> : <OutsideNode lane={lane} />}
      </div>
    );
  }
  return (
    <ol style={indent}>
      {nodes.map(({ job }) => (
        <li key={job.id} aria-current={job.id === jobId ? "true" : undefined}>
          <Status word={statusWord(job, now.value)} />{" "}
          <a href={href("job", job.id, { view: route.value.params.get("view") })}>{job.typeName}</a>{" "}
          <span class="muted">
            {job.attempt > 1 && `${counted(job.attempt, "attempt")}. `}
            {job.error !== null && job.status === "failed" && firstLine(job.error.text)}
            <Waits names={waitsOf(job)} />
          </span>
        </li>
      ))}
    </ol>
  );
};

const Waits = ({ names }: { readonly names: readonly string[] }): JSX.Element | null => {
  if (names.length === 0) return null;
  const more = names.length - namesMax;
  return (
    <>
      After {names.slice(0, namesMax).join(", ")}
      {more > 0 && ` and ${more} more`}.
    </>
  );
};
