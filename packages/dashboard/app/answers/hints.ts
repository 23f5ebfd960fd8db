// Hints of the server that jobs may have changed. The page then looks at once, and else as often as without them. A hidden tab
// listens to nothing.
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { apiUrl } from "./api.ts";
import { freshness, isLive, lookAgain } from "./query.ts";
import { has, session } from "./session.ts";

/** A source that a broken server has refused is gone for good: it is made again when the server has answered. */
const isReached: ReadonlySignal<boolean> = computed(() => freshness.value.error === null);

/** The end of a sequence is told to those that listen for it. */
const watched: Signal<string | null> = signal(null);

/** Watches the sequence while the component is on the page. */
export const useWatched = (sequenceId: string | null): void => {
  useEffect(() => {
    watched.value = sequenceId;
    return () => {
      watched.value = null;
    };
  }, [sequenceId]);
};

let source: EventSource | null = null;

const listen = (url: string | null): void => {
  // A source that was refused is closed. It is made again when the page is shown again.
  if (url === (source?.url ?? null) && source?.readyState !== EventSource.CLOSED) return;
  source?.close();
  source = url === null ? null : new EventSource(url);
  source?.addEventListener("message", lookAgain);
};

const wanted = (): string | null => {
  const isOn =
    isLive.value && isReached.value && session.value !== null && has("hints") && !document.hidden;
  return isOn ? apiUrl("live", { sequence: watched.value }) : null;
};

export const startHints = (): void => {
  effect(() => listen(wanted()));
  document.addEventListener("visibilitychange", () => listen(wanted()));
};
