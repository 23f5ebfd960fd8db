// The instants of a backfill, by the clocks of the schedule's zone.
import type { JSX } from "preact";
import type { BackfillPreviewAnswer } from "../../src/api-types.ts";
import { InZone } from "./time.tsx";

/** The first instants, and the last one. */
export const Instants = ({
  of: { first, last },
  timeZone,
}: {
  readonly of: Pick<BackfillPreviewAnswer, "first" | "last">;
  readonly timeZone: string;
}): JSX.Element => (
  <ol class="ticks">
    {first.map((at) => (
      <li key={at}>
        <InZone at={at} timeZone={timeZone} />
      </li>
    ))}
    {last !== null && last !== first.at(-1) && (
      <li>
        <span class="muted">… up to</span> <InZone at={last} timeZone={timeZone} />
      </li>
    )}
  </ol>
);
