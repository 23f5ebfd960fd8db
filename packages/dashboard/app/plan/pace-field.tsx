// The pace of a plan: at once, or so many a minute, so that workers and the systems behind them keep up.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { PlanAnswer } from "../../src/api-types.ts";
import { count, duration } from "../format.ts";

const paces: readonly (number | null)[] = [null, 60, 600, 6_000];

export const PaceField = ({
  plan,
  pace,
}: {
  readonly plan: PlanAnswer;
  readonly pace: Signal<number | null>;
}): JSX.Element => {
  const perMinute = pace.value;
  return (
    <fieldset class="pace">
      <legend>Pace</legend>
      {paces.map((each) => (
        <label key={each} class="check">
          <input
            type="radio"
            name="pace"
            checked={perMinute === each}
            onChange={() => (pace.value = each)}
          />
          {each === null ? "at once" : `${count(each)} a minute`}
        </label>
      ))}
      {perMinute !== null && (
        <p class="muted">
          This takes about {duration((plan.count / perMinute) * 60_000)}. It goes on while this page
          is open.
        </p>
      )}
    </fieldset>
  );
};
