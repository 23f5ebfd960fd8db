// The parts around the rows of a list: new rows, actions, keys, and how far was looked.
import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { act } from "../answers/act.ts";
import { type Chosen, toggle } from "../answers/chosen.ts";
import { type LiveList, pageSize } from "../answers/live-list.ts";
import { can } from "../answers/session.ts";
import { count, counted } from "../format.ts";
import { useKeys } from "../frame/keys.ts";
import { actionLabels, allowedActions, planFilter, planIds } from "../plan/open-plan.ts";
import { navigate } from "../router.ts";
import { Problem } from "./answer.tsx";
import { explainedId } from "./explain-dialog.tsx";
import { At } from "./time.tsx";

export const Pill = <TItem,>({ list }: { readonly list: LiveList<TItem> }): JSX.Element | null => {
  const number = list.waiting.value;
  if (number === 0) return null;
  return (
    <button type="button" class="pill" onClick={list.showWaiting}>
      {count(number)}
      {number === pageSize ? " or more" : ""} new, show
    </button>
  );
};

/** A row for the keys. */
interface KeyRow {
  readonly jobId: string;
  readonly to: string;
}

/** `j` and `k`, and keys of the row that they have reached. Its element has the class `at`. Returns its place. */
export const useListKeys = <TRow,>(
  rows: () => readonly TRow[],
  keys: Readonly<Record<string, (row: TRow) => void>>,
): number => {
  const at = useSignal(-1);
  const move = (step: number): void => {
    at.value = Math.max(0, Math.min(rows().length - 1, at.peek() + step));
    requestAnimationFrame(() =>
      document.querySelector("main .at")?.scrollIntoView({ block: "nearest" }),
    );
  };
  const ofRow = Object.entries(keys).map(([key, run]) => {
    const press = (): void => {
      const row = rows()[at.peek()];
      if (row !== undefined) run(row);
    };
    return [key, press] as const;
  });
  useKeys({ j: () => move(1), k: () => move(-1), ...Object.fromEntries(ofRow) });
  return at.value;
};

/** The keys of jobs in a list: choosing, opening, explaining, and the actions. */
export const useRowKeys = (rows: () => readonly KeyRow[], chosen: Chosen): number =>
  useListKeys(rows, {
    x: ({ jobId }) => toggle(chosen, jobId),
    Enter: ({ to }) => navigate(to),
    e: ({ jobId }) => (explainedId.value = jobId),
    r: ({ jobId }) => {
      if (can("retry")) retryOne(jobId, chosen);
    },
    ".": ({ jobId }) => {
      if (can("trigger")) triggerOne(jobId, chosen);
    },
  });

/** One job at once, several by a plan. */
const retryOne = (id: string, chosen: Chosen): void => {
  if (chosen.peek().size > 0) planIds("retry", chosen.peek());
  else void act({ action: "retry", id }, "The job is due again.");
};

const triggerOne = (id: string, chosen: Chosen): void => {
  if (chosen.peek().size > 0) planIds("trigger", chosen.peek());
  else void act({ action: "trigger", id }, "The job is due now.");
};

/** Plans for chosen rows, or for all jobs that match. An empty filter means no jobs, not all. */
export const ListActions = ({
  q,
  chosen,
  hasRows,
}: {
  readonly q: string;
  readonly chosen: Chosen;
  readonly hasRows: boolean;
}): JSX.Element | null => {
  const actions = allowedActions();
  const number = useComputed(() => chosen.value.size).value;
  const isChosen = number > 0;
  if (actions.length === 0 || !(isChosen || (q !== "" && hasRows))) return null;
  return (
    <header class="list-actions">
      <span class={isChosen ? "" : "muted"}>
        {isChosen ? `${count(number)} chosen` : "All that match"}
      </span>
      <div class="buttons">
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            class={action === "delete" ? "button danger" : "button"}
            onClick={() => (isChosen ? planIds(action, chosen.peek()) : planFilter(action, q))}
          >
            {actionLabels[action]}…
          </button>
        ))}
        {isChosen && (
          <button type="button" class="button" onClick={() => (chosen.value = new Set())}>
            Choose none
          </button>
        )}
      </div>
    </header>
  );
};

/** How far was looked. An empty list says so, too: that no row is here does not mean that there is none. */
export const Foot = <TItem,>({
  list,
  q,
  noun,
}: {
  readonly list: LiveList<TItem>;
  readonly q: string;
  readonly noun: string;
}): JSX.Element => {
  const { cursor, examined, backTo } = list.extent.value;
  const rows = list.rows.value.length;
  return (
    <footer class="list-foot">
      <span>
        {rows > 0
          ? `${counted(rows, noun)} shown`
          : q === ""
            ? `No ${noun} yet`
            : `No ${noun} found`}
        {q !== "" && `, ${counted(examined, noun)} looked at`}
        {backTo !== null && q !== "" && (
          <>
            , back to <At at={backTo} />
          </>
        )}
        {cursor === null && (rows > 0 || q !== "") ? ". That is all." : "."}
      </span>
      {cursor !== null && (
        <button
          type="button"
          class="button"
          disabled={list.isLoading.value}
          onClick={() => void list.lookFurther()}
        >
          {list.isLoading.value ? "Looking…" : q === "" ? "Show more" : "Look further"}
        </button>
      )}
      {list.error.value !== null && <Problem error={list.error.value} />}
    </footer>
  );
};
