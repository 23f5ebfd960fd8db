// The ticks of the past that a schedule has not started: a look at them, then a plan.
import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { BackfillPreviewAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { storeNow } from "../answers/clock.ts";
import { type QueryState, useQuery } from "../answers/query.ts";
import { count, counted } from "../format.ts";
import { openPlan } from "../plan/open-plan.ts";
import { Instants } from "./instants.tsx";
import { overlapWords, type Schedule } from "./schedule-parts.tsx";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The value of a field: a minute of the clock of this browser. */
const toField = (at: number): string => {
  const local = new Date(at - new Date(at).getTimezoneOffset() * minuteMs);
  return local.toISOString().slice(0, 16);
};

/** Null: the field is empty, or half typed. */
const fromField = (value: string): string | null => {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};

export const Backfill = ({ of }: { readonly of: Schedule }): JSX.Element => {
  const { name, timeZone } = of;
  const from = useSignal(toField(storeNow() - dayMs));
  const to = useSignal(toField(storeNow()));
  const overlap = useSignal<Schedule["overlap"]>("allow");
  const range = { from: fromField(from.value), to: fromField(to.value) };
  const { from: first, to: end } = range;
  const isWhole = first !== null && end !== null;
  const url = isWhole ? apiUrl("backfill-preview", { name, ...range }) : null;
  const preview = useQuery<BackfillPreviewAnswer>(url).value;
  const plan = (event: Event): void => {
    event.preventDefault();
    if (!isWhole) return;
    const request = { name, from: first, to: end, overlap: overlap.value } as const;
    openPlan.value = { request: { action: "backfill", ...request }, timeZone };
  };
  return (
    <section class="panel" aria-labelledby="backfill-head">
      <header>
        <h2 id="backfill-head">Start past ticks</h2>
        <span class="muted">Ticks that were started before stay as they are</span>
      </header>
      <form class="edit-schedule fields" onSubmit={plan}>
        <Instant label="From, by your clock" value={from} />
        <Instant label="Until, by your clock" value={to} />
        <Overlap value={overlap} />
        <Preview of={preview} timeZone={timeZone} />
        <div class="buttons">
          <button type="submit" class="button" disabled={!isWhole || !preview.data?.count}>
            Plan the start…
          </button>
        </div>
      </form>
    </section>
  );
};

const Instant = ({
  label,
  value,
}: {
  readonly label: string;
  readonly value: Signal<string>;
}): JSX.Element => (
  <label>
    {label}
    <input
      class="field"
      type="datetime-local"
      value={value.value}
      onInput={(event) => (value.value = event.currentTarget.value)}
    />
  </label>
);

/** How a tick goes while a sequence of the schedule is unfinished. */
export const Overlap = ({
  value,
}: {
  readonly value: Signal<Schedule["overlap"]>;
}): JSX.Element => (
  <label>
    If a sequence of it still runs
    <select
      class="field"
      value={value.value}
      onChange={(event) => (value.value = event.currentTarget.value as Schedule["overlap"])}
    >
      {Object.entries(overlapWords).map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

const Preview = ({
  of: { data, error },
  timeZone,
}: {
  readonly of: QueryState<BackfillPreviewAnswer>;
  readonly timeZone: string;
}): JSX.Element => (
  <div class="preview" role="status">
    {error !== null && <p class="tone-failed">{error.message}</p>}
    {error === null && data !== undefined && (
      <>
        <p class="muted">
          {data.count === 0
            ? "No tick is left to start"
            : `${counted(data.count, "tick")} to start`}
          {data.handledCount > 0 && `; ${count(data.handledCount)} were started or left out before`}
          .
        </p>
        {data.count > 0 && <Instants of={data} timeZone={timeZone} />}
      </>
    )}
  </div>
);
