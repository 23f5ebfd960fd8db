// A list of jobs or sequences that is read while it changes. The newest page is asked for again and again, and its rows are patched in
// place. New rows wait behind a button, so that no row moves under the reader's eyes. Older pages are added below.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { JobsAnswer, SequencesAnswer } from "../../src/api-types.ts";
import { ApiError, apiUrl, get } from "./api.ts";
import { type QueryState, useQuery } from "./query.ts";
import type { Job, Sequence } from "./types.ts";

export const pageSize = 50;
/** Older pages are added up to this. */
const rowsMax = 1_000;
/** Rows outside the newest page that are asked for by their ids. */
const watchedMax = 50;
const everyMs = 4_000;

type Order = "asc" | "desc";

/** The parts that both answers have. */
interface ListAnswer<TItem> {
  readonly items: readonly TItem[];
  readonly nextCursor: string | null;
  readonly examined: number;
  readonly examinedTo?: string | null;
  readonly parsed: JobsAnswer["parsed"];
}

/** How one kind of list is asked for, and compared. */
interface Kind<TItem> {
  readonly path: string;
  /** The term that finds items by their ids. */
  readonly idTerm: string;
  /** Grows with the creation. */
  readonly rankOf: (item: TItem) => number;
  readonly isOpen: (item: TItem) => boolean;
}

const jobs: Kind<Job> = {
  path: "jobs",
  idTerm: "id",
  rankOf: ({ ordinal }) => ordinal,
  isOpen: ({ finishedAt }) => finishedAt === null,
};

const sequences: Kind<Sequence> = {
  path: "sequences",
  idTerm: "seq",
  rankOf: ({ createdAt }) => Date.parse(createdAt),
  isOpen: ({ finishedAt }) => finishedAt === null,
};

export interface LiveList<TItem> {
  readonly answer: ReadonlySignal<QueryState<ListAnswer<TItem>>>;
  readonly rows: ReadonlySignal<readonly TItem[]>;
  /** How many rows wait behind the button. */
  readonly waiting: ReadonlySignal<number>;
  readonly showWaiting: () => void;
  readonly extent: ReadonlySignal<Extent>;
  readonly isLoading: Signal<boolean>;
  readonly error: Signal<ApiError | null>;
  readonly lookFurther: () => Promise<void>;
}

/** How far the list reaches. */
export interface Extent {
  readonly examined: number;
  /** Looks further; null: all jobs were looked at. */
  readonly cursor: string | null;
  /** The creation of the last job that was looked at; null: all were. */
  readonly backTo: string | null;
}

const extentOf = (
  { nextCursor, examined, examinedTo = null }: ListAnswer<unknown>,
  before = 0,
): Extent => ({ cursor: nextCursor, examined: before + examined, backTo: examinedTo });

interface Shown<TItem> {
  readonly rows: readonly TItem[];
  /** Where the older pages end; null: none was asked for. */
  readonly end: Extent | null;
}

export const useJobList = (q: string, order: Order): LiveList<Job> =>
  useLiveList<Job, JobsAnswer>(jobs, { q, order });

/** `roots`: without sequences that another one has started. */
export const useSequenceList = (q: string, order: Order, roots: boolean): LiveList<Sequence> =>
  useLiveList<Sequence, SequencesAnswer>(sequences, { q, order, roots: roots ? "true" : null });

const useLiveList = <TItem extends { readonly id: string }, TAnswer extends ListAnswer<TItem>>(
  kind: Kind<TItem>,
  params: ListParams,
): LiveList<TItem> => {
  const url = apiUrl(kind.path, { ...params, limit: pageSize });
  const answer = useQuery<TAnswer>(url, everyMs);
  const list = useMemo(() => new ListState(kind, answer, params), [url, answer]);
  useEffect(() => answer.subscribe(({ data }) => list.merge(data)), [list]);
  const ids = list.watchedIds.value;
  const watched = useQuery<TAnswer>(
    ids === "" ? null : apiUrl(kind.path, { q: `${kind.idTerm}:${ids}`, limit: watchedMax }),
    everyMs,
  );
  useEffect(() => watched.subscribe(({ data }) => list.patch(data?.items ?? [])), [list, watched]);
  return list;
};

interface ListParams {
  readonly q: string;
  readonly order: Order;
  readonly roots?: string | null;
}

class ListState<TItem extends { readonly id: string }> implements LiveList<TItem> {
  readonly answer: ReadonlySignal<QueryState<ListAnswer<TItem>>>;
  readonly isLoading: Signal<boolean> = signal(false);
  readonly error: Signal<ApiError | null> = signal(null);
  readonly #kind: Kind<TItem>;
  readonly #params: ListParams;
  readonly #shown = signal<Shown<TItem>>({ rows: [], end: null });
  readonly #waiting = signal<readonly TItem[]>([]);
  #firstEnd: Extent | null = null;
  readonly rows: ReadonlySignal<readonly TItem[]> = computed(() => this.#shown.value.rows);
  readonly waiting: ReadonlySignal<number> = computed(() => this.#waiting.value.length);

  constructor(
    kind: Kind<TItem>,
    answer: ReadonlySignal<QueryState<ListAnswer<TItem>>>,
    params: ListParams,
  ) {
    this.#kind = kind;
    this.answer = answer;
    this.#params = params;
  }

  readonly extent: ReadonlySignal<Extent> = computed(() => {
    const { data } = this.answer.value;
    const first = data === undefined ? { examined: 0, cursor: null, backTo: null } : extentOf(data);
    return this.#shown.value.end ?? first;
  });

  /** Rows that may change, and that the newest page does not have, such as those that no longer match. */
  readonly watchedIds: ReadonlySignal<string> = computed(() => {
    const newest = new Set(this.answer.value.data?.items.map(({ id }) => id));
    const open = this.rows.value.filter((row) => !newest.has(row.id) && this.#kind.isOpen(row));
    return open
      .slice(0, watchedMax)
      .map(({ id }) => id)
      .join(",");
  });

  readonly showWaiting = (): void => {
    const { rows, end } = this.#shown.peek();
    this.#shown.value = { rows: [...this.#waiting.peek(), ...rows], end };
    this.#waiting.value = [];
  };

  /** Takes over the newest page. */
  merge(data: ListAnswer<TItem> | undefined): void {
    if (data === undefined) return;
    const { items } = data;
    const { rows, end } = this.#shown.peek();
    const [first] = rows;
    if (first === undefined) {
      this.#shown.value = { rows: items, end };
      this.#firstEnd = extentOf(data);
      return;
    }
    const { rankOf } = this.#kind;
    const isNewer = (item: TItem): boolean =>
      this.#params.order === "desc" && rankOf(item) >= rankOf(first);
    const known = new Set(rows.map(({ id }) => id));
    const waiting = items.filter((job) => !known.has(job.id) && isNewer(job));
    // Rows that wait push older ones out of the page. From then on the list ends where it ended before.
    const isWhole = end === null && waiting.length === 0;
    const below = isWhole ? items.filter((job) => !known.has(job.id)) : [];
    this.#waiting.value = waiting;
    this.#shown.value = {
      rows: [...rows, ...below],
      end: isWhole ? null : (end ?? this.#firstEnd),
    };
    if (isWhole) this.#firstEnd = extentOf(data);
    this.patch(items);
  }

  /** Shows the present state of rows. */
  patch(items: readonly TItem[]): void {
    if (items.length === 0) return;
    const byId = new Map(items.map((job) => [job.id, job]));
    const { rows, end } = this.#shown.peek();
    this.#shown.value = { rows: rows.map((job) => byId.get(job.id) ?? job), end };
  }

  readonly lookFurther = async (): Promise<void> => {
    const { cursor, examined } = this.extent.peek();
    if (cursor === null || this.isLoading.peek()) return;
    this.isLoading.value = true;
    try {
      const url = apiUrl(this.#kind.path, { ...this.#params, limit: pageSize, cursor });
      const answer = await get(url, { etag: null, signal: AbortSignal.timeout(60_000) });
      const page = answer.data as ListAnswer<TItem>;
      const { rows } = this.#shown.peek();
      const known = new Set(rows.map(({ id }) => id));
      const all = [...rows, ...page.items.filter(({ id }) => !known.has(id))];
      const end = extentOf(page, examined);
      this.#shown.value = { rows: all.slice(0, rowsMax), end };
      this.error.value = null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.error.value = error;
    } finally {
      this.isLoading.value = false;
    }
  };
}
