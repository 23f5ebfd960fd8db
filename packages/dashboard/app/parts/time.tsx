// Instants by the store's clock. The exact time is in the title.
import type { JSX } from "preact";
import { now } from "../answers/clock.ts";
import { duration, instant, relative, wholeInstant, zonedInstant } from "../format.ts";

/** `2 h ago`, `in 3 min`. */
export const Ago = ({ at }: { readonly at: string }): JSX.Element => {
  const time = new Date(at);
  return (
    <time dateTime={at} title={wholeInstant(time)}>
      {relative(time.getTime(), now.value)}
    </time>
  );
};

/** `14:02:11`. */
export const At = ({ at }: { readonly at: string }): JSX.Element => {
  const time = new Date(at);
  return (
    <time dateTime={at} title={wholeInstant(time)}>
      {instant(time, new Date(now.peek()))}
    </time>
  );
};

/** `Fri, 20 Nov 2026, 07:00 GMT+1`: as the clocks of a zone say it. */
export const InZone = ({
  at,
  timeZone,
}: {
  readonly at: string;
  readonly timeZone: string;
}): JSX.Element => <time dateTime={at}>{zonedInstant(new Date(at), timeZone)}</time>;

/** How long it has been since. */
export const Since = ({ at }: { readonly at: string }): JSX.Element => (
  <time dateTime={at} title={wholeInstant(new Date(at))}>
    {duration(Math.max(1_000, Math.floor((now.value - Date.parse(at)) / 1_000) * 1_000))}
  </time>
);
