// The list of jobs or of sequences, with its filter. The unit, the filter and the order are in the address.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { createChosen } from "../answers/chosen.ts";
import { type LiveList, useJobList, useSequenceList } from "../answers/live-list.ts";
import { isAway } from "../answers/query.ts";
import { FilterBar } from "../filter-bar/filter-bar.tsx";
import { Answer, Problem } from "../parts/answer.tsx";
import { JobRows } from "../parts/job-rows.tsx";
import { lazy } from "../parts/lazy.tsx";
import { Foot, ListActions, Pill, useRowKeys } from "../parts/list-parts.tsx";
import { SequenceRows } from "../parts/sequence-rows.tsx";
import { useTitle } from "../parts/use-title.ts";
import { href, route, setParams } from "../router.ts";

type Order = "asc" | "desc";
type Unit = "jobs" | "sequences";

export const JobsPage = (): JSX.Element => {
  const { params } = route.value;
  const q = params.get("q") ?? "";
  const order = params.get("order") === "asc" ? "asc" : "desc";
  const unit = params.get("unit") === "sequences" ? "sequences" : "jobs";
  const isRoots = params.get("roots") === "true";
  useTitle(q === "" ? labels[unit] : q);
  return (
    <>
      <div class="page-head">
        <h1 class="sr">{labels[unit]}</h1>
        <Units unit={unit} />
        <Quick q={q} />
        <span class="spring" />
        {unit === "sequences" && (
          <label class="check muted">
            <input
              type="checkbox"
              checked={isRoots}
              onChange={() => setParams({ roots: isRoots ? null : "true" })}
            />
            roots only
          </label>
        )}
        <OrderField order={order} />
        <Columns unit={unit} />
      </div>
      {unit === "jobs" ? (
        <Jobs key={`${order} ${q}`} q={q} order={order} />
      ) : (
        <Sequences key={`${order} ${q} ${isRoots}`} q={q} order={order} isRoots={isRoots} />
      )}
    </>
  );
};

const labels: Readonly<Record<Unit, string>> = { jobs: "Jobs", sequences: "Sequences" };

const Units = ({ unit }: { readonly unit: Unit }): JSX.Element => (
  <div class="segments" role="group" aria-label="Unit">
    {(["jobs", "sequences"] as const).map((each) => (
      <button
        key={each}
        type="button"
        aria-pressed={unit === each}
        onClick={() => setParams({ unit: each === "jobs" ? null : each, roots: null })}
      >
        {labels[each]}
      </button>
    ))}
  </div>
);

const ColumnsDialog = lazy(
  async () => (await import("./later.ts")).ColumnsDialog,
  () => null,
);

const Columns = ({ unit }: { readonly unit: Unit }): JSX.Element => {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="button columns" onClick={() => (isOpen.value = true)}>
        Columns…
      </button>
      {isOpen.value && <ColumnsDialog list={unit} onClose={() => (isOpen.value = false)} />}
    </>
  );
};

const OrderField = ({ order }: { readonly order: Order }): JSX.Element => (
  <label class="muted">
    <span class="sr">Order</span>
    <select
      class="field"
      value={order}
      onChange={(event) => setParams({ order: event.currentTarget.value === "asc" ? "asc" : null })}
    >
      <option value="desc">Newest first</option>
      <option value="asc">Oldest first</option>
    </select>
  </label>
);

const quickFilters: readonly (readonly [string, string])[] = [
  ["All", ""],
  ["Open", "is:open"],
  ["Due", "is:due"],
  ["Retrying", "is:retrying"],
  ["Running", "status:running"],
  ["Blocked", "status:blocked"],
  ["Failed", "status:failed"],
];

const Quick = ({ q }: { readonly q: string }): JSX.Element => {
  const { params } = route.value;
  const [order, unit, roots] = ["order", "unit", "roots"].map((name) => params.get(name));
  return (
    <nav class="quick" aria-label="Common filters">
      {quickFilters.map(([label, filter]) => (
        <a
          key={label}
          href={href("jobs", "", { unit, q: filter, order, roots })}
          aria-current={q === filter ? "true" : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
};

const Jobs = ({ q, order }: { readonly q: string; readonly order: Order }): JSX.Element => {
  const list = useJobList(q, order);
  const chosen = useMemo(createChosen, []);
  const at = useRowKeys(
    () => list.rows.peek().map(({ id }) => ({ jobId: id, to: href("job", id) })),
    chosen,
  );
  return (
    <List
      q={q}
      list={list}
      noun="job"
      actions={<ListActions q={q} chosen={chosen} hasRows={list.rows.value.length > 0} />}
      rows={() => <JobRows jobs={list.rows.value} chosen={chosen} at={at} />}
    />
  );
};

/** A filter finds sequences by their current jobs. A plan of a filter would find other jobs, so only chosen rows are planned. */
const Sequences = ({
  q,
  order,
  isRoots,
}: {
  readonly q: string;
  readonly order: Order;
  readonly isRoots: boolean;
}): JSX.Element => {
  const list = useSequenceList(q, order, isRoots);
  const chosen = useMemo(createChosen, []);
  const at = useRowKeys(
    () =>
      list.rows.peek().map(({ id, current }) => ({ jobId: current.id, to: href("sequence", id) })),
    chosen,
  );
  return (
    <List
      q={q}
      list={list}
      noun="sequence"
      actions={<ListActions q="" chosen={chosen} hasRows />}
      rows={() => <SequenceRows sequences={list.rows.value} chosen={chosen} at={at} />}
    />
  );
};

const List = <TItem,>({
  q,
  list,
  noun,
  actions,
  rows,
}: {
  readonly q: string;
  readonly list: LiveList<TItem>;
  readonly noun: string;
  readonly actions: JSX.Element;
  readonly rows: () => JSX.Element;
}): JSX.Element => {
  const { data, error } = list.answer.value;
  const badFilter = error !== null && error.status === 400 ? error : null;
  return (
    <>
      <FilterBar
        filter={q}
        onChange={(filter) => setParams({ q: filter })}
        parsed={data?.parsed ?? null}
        problem={badFilter?.message ?? null}
      />
      {badFilter === null && (
        <section class="panel" aria-label={`The ${noun}s`}>
          {actions}
          <Pill list={list} />
          {error === null || isAway(error) ? (
            <Answer of={list.answer}>{rows}</Answer>
          ) : (
            <Problem error={error} />
          )}
          {data !== undefined && <Foot list={list} q={q} noun={noun} />}
        </section>
      )}
    </>
  );
};
