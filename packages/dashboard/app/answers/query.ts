// The cache of answers, and their polling. The next request is sent after the answer to the last one, so slow answers never
// pile up. A hidden tab asks for nothing. If the store is away, the last answer stays on the page and is marked as old.
import { computed, effect, type ReadonlySignal, signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError, get } from "./api.ts";

export interface QueryState<T> {
  readonly data: T | undefined;
  /** The last error; null: the last request was answered. */
  readonly error: ApiError | null;
  /** When this page received the answer, by its own clock. */
  readonly receivedAt: number;
}

interface Entry {
  readonly url: string;
  readonly state: Signal<QueryState<unknown>>;
  etag: string | null;
  users: number;
  everyMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  request: AbortController | null;
  failures: number;
  /** Jobs may have changed since the last request. */
  isHinted: boolean;
  /** When the last request was sent. */
  loadedAt: number;
  usedAt: number;
}

const entries = new Map<string, Entry>();
const entriesMax = 60;
/** Between two looks at the same answer that hints ask for. */
const hintedEveryMs = 1_500;

/** Off: the page asks only when it is told to. */
export const isLive: Signal<boolean> = signal(true);

/** Answers of the page that is open, for the age in the frame. */
const open = signal<ReadonlySet<Entry>>(new Set());

/** When the oldest answer on the page was received, and the first error. */
export const freshness: ReadonlySignal<{ receivedAt: number | null; error: ApiError | null }> =
  computed(() => {
    const states = [...open.value].map(({ state }) => state.value);
    const times = states.map(({ receivedAt }) => receivedAt).filter((time) => time > 0);
    const error = states.map((state) => state.error).find((each) => each !== null && isAway(each));
    return { receivedAt: times.length === 0 ? null : Math.min(...times), error: error ?? null };
  });

/** An error of the way to the store, which may pass. Other errors are about the request. */
export const isAway = ({ status }: ApiError): boolean =>
  status === 0 || status === 429 || status >= 500;

const unanswered: QueryState<unknown> = { data: undefined, error: null, receivedAt: 0 };

const entryOf = (url: string): Entry => {
  const known = entries.get(url);
  if (known !== undefined) return known;
  const entry: Entry = {
    url,
    state: signal(unanswered),
    etag: null,
    users: 0,
    everyMs: Infinity,
    timer: undefined,
    request: null,
    failures: 0,
    isHinted: false,
    loadedAt: 0,
    usedAt: 0,
  };
  entries.set(url, entry);
  forgetOldest();
  return entry;
};

const forgetOldest = (): void => {
  const unused = [...entries.values()].filter(({ users }) => users === 0);
  unused.sort((left, right) => left.usedAt - right.usedAt);
  for (const { url } of unused.slice(0, Math.max(0, entries.size - entriesMax)))
    entries.delete(url);
};

const load = async (entry: Entry): Promise<void> => {
  if (entry.request !== null) return;
  clearTimeout(entry.timer);
  const request = new AbortController();
  entry.request = request;
  entry.loadedAt = Date.now();
  entry.isHinted = false;
  try {
    const { data, etag } = await get(entry.url, { etag: entry.etag, signal: request.signal });
    entry.etag = etag;
    entry.failures = 0;
    const known = entry.state.peek().data;
    entry.state.value = { data: data ?? known, error: null, receivedAt: Date.now() };
  } catch (error) {
    if (request.signal.aborted) return;
    if (!(error instanceof ApiError)) throw error;
    entry.failures++;
    entry.state.value = { ...entry.state.peek(), error };
  } finally {
    if (entry.request === request) entry.request = null;
  }
  planNext(entry);
};

/** After errors the pauses grow up to half a minute. */
const planNext = (entry: Entry): void => {
  clearTimeout(entry.timer);
  if (entry.users === 0 || document.hidden || !isLive.peek()) return;
  const { error } = entry.state.peek();
  if (error !== null && !isAway(error)) return;
  const pause =
    entry.failures > 0
      ? Math.min(30_000, 1_000 * 2 ** entry.failures)
      : entry.isHinted
        ? Math.min(entry.everyMs, Math.max(0, entry.loadedAt + hintedEveryMs - Date.now()))
        : entry.everyMs;
  if (pause < Infinity) entry.timer = setTimeout(() => void load(entry), pause);
};

const use = (entry: Entry, everyMs: number): (() => void) => {
  entry.users++;
  entry.usedAt = Date.now();
  entry.everyMs = Math.min(entry.users === 1 ? Infinity : entry.everyMs, everyMs);
  open.value = new Set([...open.peek(), entry]);
  void load(entry);
  return () => {
    entry.users--;
    if (entry.users > 0) return;
    clearTimeout(entry.timer);
    entry.request?.abort();
    entry.request = null;
    open.value = new Set([...open.peek()].filter((each) => each !== entry));
  };
};

/** An answer that is kept up to date while the component is on the page. Null: no request. */
export const useQuery = <T>(
  url: string | null,
  everyMs = Infinity,
): ReadonlySignal<QueryState<T>> => {
  const entry = useMemo(() => (url === null ? null : entryOf(url)), [url]);
  useEffect(() => (entry === null ? undefined : use(entry, everyMs)), [entry, everyMs]);
  return useMemo(
    () => computed(() => (entry === null ? unanswered : entry.state.value) as QueryState<T>),
    [entry],
  );
};

/** Asks again for all that is on the page, such as after a write. */
export const refresh = (): void => {
  for (const entry of open.peek()) {
    // An answer that is under way may be older than the write.
    entry.request?.abort();
    entry.request = null;
    void load(entry);
  }
};

/** Jobs may have changed: looks again at all that is kept up to date. A busy store is not asked more often for it. */
export const lookAgain = (): void => {
  for (const entry of open.peek()) {
    if (entry.everyMs === Infinity || entry.failures > 0) continue;
    entry.isHinted = true;
    // An answer that is under way may be older than the change: its successor comes early.
    if (entry.request === null) planNext(entry);
  }
};

export const startPolling = (): void => {
  document.addEventListener("visibilitychange", () => {
    for (const entry of open.peek()) {
      if (document.hidden) clearTimeout(entry.timer);
      else if (isLive.peek()) void load(entry);
    }
  });
  effect(() => {
    if (isLive.value) for (const entry of open.peek()) void load(entry);
    else for (const entry of open.peek()) clearTimeout(entry.timer);
  });
};
