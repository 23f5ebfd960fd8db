// The person that looks, and the rights. The server checks each right again; the page only leaves out buttons.
import { computed, type ReadonlySignal, signal, type Signal } from "@preact/signals";
import type { Right, SessionAnswer } from "../../src/api-types.ts";
import { ApiError, apiUrl, get } from "./api.ts";
import { setStoreTime } from "./clock.ts";
import type { Feature } from "./types.ts";

export const session: Signal<SessionAnswer | null> = signal(null);
export const sessionError: Signal<ApiError | null> = signal(null);

export const loadSession = async (): Promise<void> => {
  try {
    const answer = await get(apiUrl("session"), {
      etag: null,
      signal: AbortSignal.timeout(30_000),
    });
    const loaded = answer.data as SessionAnswer;
    setStoreTime(loaded.at);
    sessionError.value = null;
    session.value = loaded;
  } catch (error) {
    const isOurs = error instanceof ApiError;
    sessionError.value = isOurs
      ? error
      : new ApiError(0, "unreachable", "The server of this page does not answer.", null);
    setTimeout(() => void loadSession(), 5_000);
  }
};

export const can = (right: Right): boolean => session.value?.can.includes(right) ?? false;
export const has = (feature: Feature): boolean => session.value?.features[feature] ?? false;

/** The words that the page puts before a title in the browser's tab. */
export const storeTitle: ReadonlySignal<string> = computed(() => {
  const { environment, store } = session.value ?? {};
  return [environment, store?.name].filter(Boolean).join(" · ");
});
