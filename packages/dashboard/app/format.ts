// Numbers, times and ids as the page writes them.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `940 ms`, `12 s`, `3 min`, `2 h`, `5 d`: one unit, for columns. */
export const duration = (ms: number): string => {
  const length = Math.abs(ms);
  if (length < second) return `${Math.round(length)} ms`;
  if (length < 10 * second) return `${trim(length / second)} s`;
  if (length < 90 * second) return `${Math.round(length / second)} s`;
  if (length < 90 * minute) return `${Math.round(length / minute)} min`;
  if (length < 36 * hour) return `${Math.round(length / hour)} h`;
  return `${Math.round(length / day)} d`;
};

const trim = (number: number): string => number.toFixed(1).replace(/\.0$/, "");

/** `2 h ago`, `in 3 min`, `now`. */
export const relative = (at: number, now: number): string => {
  const ms = at - now;
  if (Math.abs(ms) < second) return "now";
  return ms < 0 ? `${duration(wholeSeconds(ms))} ago` : `in ${duration(wholeSeconds(ms))}`;
};

/** The age of a row changes each second at most. */
const wholeSeconds = (ms: number): number => Math.floor(Math.abs(ms) / second) * second;

const thousands = new Intl.NumberFormat("en-US");
export const count = (number: number): string => thousands.format(number);

/** `1 job`, `4,802 jobs`. */
export const counted = (number: number, noun: string): string =>
  `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Things a minute: `0.4`, `12`. */
export const rate = (number: number): string =>
  number < 10 ? trim(number) : count(Math.round(number));

/** `4.8k`, `1.2M`: for places without room. */
export const short = (number: number): string => {
  if (number < 10_000) return count(number);
  if (number < 1_000_000) return `${trim(number / 1_000)}k`;
  return `${trim(number / 1_000_000)}M`;
};

const parts = (text: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", text);
const clock = parts({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndClock = parts({
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const whole = parts({ dateStyle: "medium", timeStyle: "long" });

/** `14:02:11` today, `16 Nov, 09:12:40` on another day. */
export const instant = (at: Date, now: Date): string =>
  (at.toDateString() === now.toDateString() ? clock : dayAndClock).format(at);

/** A zone that this browser does not know is shown as UTC, with its name. */
export const zonedInstant = (at: Date, timeZone: string): string => {
  const inZone = (zone: string): string =>
    parts({
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "shortOffset",
      timeZone: zone,
    }).format(at);
  try {
    return inZone(timeZone);
  } catch {
    return inZone("UTC");
  }
};

export const wholeInstant = (at: Date): string => whole.format(at);

/**
 * The beginning and the end of an id. Ids that are made in the same minute begin alike, so their beginning alone does not tell
 * them apart.
 */
export const shortId = (id: string): string =>
  id.length <= 13 ? id : `${id.slice(0, 6)}…${id.slice(-4)}`;

export const bytes = (length: number): string =>
  length < 1_024
    ? `${length} B`
    : length < 1_048_576
      ? `${trim(length / 1_024)} kB`
      : `${trim(length / 1_048_576)} MB`;

export const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** A value of the filter language: quoted where it has to be. */
export const quoted = (value: string): string =>
  /^[\w.@/-]+$/.test(value) ? value : `"${value.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
