// How old the page is, and the switch that stops it from asking. If the store is away, a banner says since when.
import type { JSX } from "preact";
import { now } from "../answers/clock.ts";
import { freshness, isLive, refresh } from "../answers/query.ts";
import { duration } from "../format.ts";
import { WarnIcon } from "../parts/icons.tsx";

/** Older than this is worth a number. */
const freshForMs = 12_000;

export const Live = (): JSX.Element => {
  const { receivedAt, error } = freshness.value;
  // Read, so that the age grows each second.
  const age = now.value > 0 && receivedAt !== null ? Date.now() - receivedAt : 0;
  const state = !isLive.value ? "off" : error !== null ? "away" : "on";
  const word =
    state === "off"
      ? "Paused"
      : state === "away"
        ? "Away"
        : age > freshForMs
          ? `${duration(Math.floor(age / 1_000) * 1_000)} ago`
          : "Live";
  return (
    <button
      type="button"
      class={`live ${state}`}
      aria-pressed={isLive.value}
      title={isLive.value ? "Stop updating this page" : "Update this page again"}
      onClick={() => (isLive.value = !isLive.peek())}
    >
      <i aria-hidden="true" />
      {word}
    </button>
  );
};

export const StaleBanner = (): JSX.Element | null => {
  const { receivedAt, error } = freshness.value;
  if (error === null) return null;
  const age = now.value > 0 && receivedAt !== null ? Date.now() - receivedAt : null;
  return (
    <div class="banner" role="status">
      <WarnIcon />
      <span>
        {error.message}{" "}
        {age !== null && (
          <>This page is as it was {duration(Math.floor(age / 1_000) * 1_000)} ago.</>
        )}
      </span>
      <button type="button" class="button" onClick={refresh}>
        Try now
      </button>
    </div>
  );
};
