// The tree of a sequence in one of three views: structure, time, or a list, which has the same content as text.
import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { TreeAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { count, counted } from "../format.ts";
import { useKeys } from "../frame/keys.ts";
import { route, setParams } from "../router.ts";
import { type Picture, toPicture } from "./lane-model.ts";
import { ListView } from "./list-view.tsx";
import { StructureView } from "./structure-view.tsx";
import { TimeView } from "./time-view.tsx";

const views = ["structure", "time", "list"] as const;
type ViewName = (typeof views)[number];

const labels: Readonly<Record<ViewName, string>> = {
  structure: "Structure",
  time: "Time",
  list: "List",
};

const viewOf = (): ViewName =>
  views.find((view) => view === route.value.params.get("view")) ?? "structure";

/** The tree, as each view draws it. */
export interface LanesProps {
  readonly tree: TreeAnswer;
  readonly picture: Picture;
  readonly jobId: string | null;
  readonly opened: Signal<ReadonlySet<string>>;
}

/** `whenAlone`: also for a tree of one job. */
export const Lanes = ({
  sequenceId,
  jobId,
  whenAlone = false,
}: {
  readonly sequenceId: string;
  readonly jobId: string | null;
  readonly whenAlone?: boolean;
}): JSX.Element | null => {
  const { data } = useQuery<TreeAnswer>(apiUrl("tree", { sequence: sequenceId }), 3_000).value;
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const isUnfinishedOnly = useSignal(false);
  const shown = useMemo(
    () => (data === undefined ? null : isUnfinishedOnly.value ? unfinished(data) : data),
    [data, isUnfinishedOnly.value],
  );
  const picture = useMemo(
    () => (shown === null ? null : toPicture(shown, opened.value)),
    [shown, opened.value],
  );
  const view = viewOf();
  const next = views[(views.indexOf(view) + 1) % views.length] ?? "structure";
  useKeys({ v: () => setParams({ view: next }, { replace: true }) });
  if (data === undefined || shown === null || picture === null) return null;
  if (data.jobs.length <= 1 && data.edges.length === 0 && !whenAlone) return null;
  const props = { tree: shown, picture, jobId, opened };
  return (
    <section class="panel lanes-panel" aria-labelledby="lanes-head">
      <header>
        <h2 id="lanes-head">Tree</h2>
        <span class="muted">
          {counted(data.sequences.length, "sequence")}, {counted(data.jobs.length, "job")}
          {data.cutAt !== null && ` (the first ${count(data.cutAt)} are shown)`}
        </span>
        <span class="spring" />
        <label class="check muted">
          <input
            type="checkbox"
            checked={isUnfinishedOnly.value}
            onChange={() => (isUnfinishedOnly.value = !isUnfinishedOnly.peek())}
          />
          only unfinished
        </label>
        <div class="segments" role="group" aria-label="View">
          {views.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={view === each}
              onClick={() => setParams({ view: each }, { replace: true })}
            >
              {labels[each]}
            </button>
          ))}
        </div>
      </header>
      {view === "structure" && <StructureView {...props} />}
      {view === "time" && <TimeView {...props} />}
      {view === "list" && <ListView {...props} />}
    </section>
  );
};

/** The tree without sequences that have ended well. */
const unfinished = (tree: TreeAnswer): TreeAnswer => {
  const sequences = tree.sequences.filter(({ status }) => status !== "completed");
  const ids = new Set(sequences.map(({ id }) => id));
  return { ...tree, sequences, jobs: tree.jobs.filter(({ sequenceId }) => ids.has(sequenceId)) };
};
