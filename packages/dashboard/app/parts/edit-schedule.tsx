// Another timing for a schedule, with its instants before it is stored.
import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { SchedulePreviewAnswer } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { apiUrl } from "../answers/api.ts";
import { type QueryState, useQuery } from "../answers/query.ts";
import { Overlap } from "./backfill.tsx";
import type { Schedule } from "./schedule-parts.tsx";
import { InZone } from "./time.tsx";

const secondMs = 1_000;

export const EditSchedule = ({ of }: { readonly of: Schedule }): JSX.Element => {
  const { name, isDeclared } = of;
  const isCron = useSignal(of.cron !== null);
  const cron = useSignal(of.cron ?? "0 7 * * *");
  const timeZone = useSignal(of.timeZone);
  const seconds = useSignal(String((of.everyMs ?? 3_600_000) / secondMs));
  const overlap = useSignal(of.overlap);
  const timing = isCron.value
    ? { cron: cron.value.trim(), timeZone: timeZone.value.trim() }
    : { everyMs: Math.round(Number(seconds.value) * secondMs) };
  const preview = useQuery<SchedulePreviewAnswer>(apiUrl("schedule-preview", timing)).value;
  const submit = (event: Event): void => {
    event.preventDefault();
    const request = { action: "edit_schedule", name, ...timing, overlap: overlap.value } as const;
    void act(request, `${name} was changed.`);
  };
  return (
    <section class="panel" aria-labelledby="edit-head">
      <header>
        <h2 id="edit-head">Change</h2>
        {isDeclared && (
          <span class="muted">Declared in code: its next change there replaces this one</span>
        )}
      </header>
      <form class="edit-schedule fields" onSubmit={submit}>
        <Kinds isCron={isCron} />
        {isCron.value ? (
          <>
            <Field label="Cron expression" value={cron} />
            <Field label="Time zone" value={timeZone} />
          </>
        ) : (
          <Field label="Seconds between ticks" value={seconds} />
        )}
        <Overlap value={overlap} />
        <Preview of={preview} timeZone={isCron.value ? timeZone.value : of.timeZone} />
        <div class="buttons">
          <button
            type="submit"
            class="button main"
            disabled={preview.error !== null || preview.data === undefined}
          >
            Store the change
          </button>
        </div>
      </form>
    </section>
  );
};

const Kinds = ({ isCron }: { readonly isCron: Signal<boolean> }): JSX.Element => (
  <div class="segments" role="group" aria-label="Kind of rule">
    <button type="button" aria-pressed={isCron.value} onClick={() => (isCron.value = true)}>
      Cron
    </button>
    <button type="button" aria-pressed={!isCron.value} onClick={() => (isCron.value = false)}>
      Interval
    </button>
  </div>
);

const Field = ({
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
      maxLength={200}
      value={value.value}
      onInput={(event) => (value.value = event.currentTarget.value)}
    />
  </label>
);

const Preview = ({
  of: { data, error },
  timeZone,
}: {
  readonly of: QueryState<SchedulePreviewAnswer>;
  readonly timeZone: string;
}): JSX.Element => (
  <div class="preview" role="status">
    {error === null ? (
      <p class="muted">
        Then it ticks{" "}
        {data?.next.slice(0, 3).map((at, place) => (
          <span key={at}>
            {place > 0 && ", "}
            <InZone at={at} timeZone={timeZone} />
          </span>
        ))}
      </p>
    ) : (
      <p class="tone-failed">{error.message}</p>
    )}
  </div>
);
