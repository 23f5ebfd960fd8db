// The address of the page is its state. It lives in the query string: `?jobs&q=status:failed`, `?sequence=<id>&job=<id>`. So the
// page works below any mount point, and an address can be sent to a colleague.
import { type ReadonlySignal, signal } from "@preact/signals";

const pages = [
  "overview",
  "jobs",
  "sequence",
  "job",
  "failures",
  "types",
  "type",
  "schedules",
  "limits",
  "workers",
  "activity",
] as const;
export type PageName = (typeof pages)[number];

const isPage = (name: string): name is PageName => pages.some((page) => page === name);

export interface Route {
  readonly page: PageName;
  /** The id or name of pages of one thing, such as `?type=send-mail`. */
  readonly subject: string;
  readonly params: URLSearchParams;
}

const read = (search: string): Route => {
  const params = new URLSearchParams(search);
  const [name] = [...params.keys()].filter(isPage);
  const page = name !== undefined && isPage(name) ? name : "overview";
  return { page, subject: params.get(page) ?? "", params };
};

const current = signal<Route>(read(location.search));
export const route: ReadonlySignal<Route> = current;

/** The address of a page. Empty parameters are left out. */
export const href = (
  page: PageName,
  subject = "",
  params: Readonly<Record<string, string | null | undefined>> = {},
): string => {
  const rest = Object.entries(params)
    .filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `&${name}=${encode(value)}`)
    .join("");
  return `?${page}${subject === "" ? "" : `=${encode(subject)}`}${rest}`;
};

/** Colons and commas stay readable: both are allowed in a query. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%20", "+");

export const navigate = (to: string, { replace = false } = {}): void => {
  const url = new URL(to, location.href);
  if (url.search === location.search) return;
  if (replace) history.replaceState(history.state, "", url.search);
  else {
    history.replaceState({ scroll: scrollY }, "", location.search || location.pathname);
    history.pushState({ scroll: 0 }, "", url.search);
  }
  const before = current.value.page;
  current.value = read(url.search);
  if (!replace && before !== current.value.page) scrollTo(0, 0);
};

/** Changes parameters of this address, and keeps the others. */
export const setParams = (
  changes: Readonly<Record<string, string | null>>,
  options?: { readonly replace?: boolean },
): void => {
  const { page, subject, params } = current.value;
  const rest = Object.fromEntries([...params].filter(([name]) => name !== page));
  navigate(href(page, subject, { ...rest, ...changes }), options);
};

/** Links of the page are followed without a load. Other links, and clicks for a new tab, are the browser's. */
const follow = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const to = link?.getAttribute("href");
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  if (!isPlain || event.defaultPrevented || link?.target === "_blank") return;
  if (to === undefined || to === null || !to.startsWith("?")) return;
  event.preventDefault();
  navigate(to);
};

export const startRouter = (): void => {
  document.addEventListener("click", follow);
  addEventListener("popstate", (event: PopStateEvent) => {
    current.value = read(location.search);
    const state: unknown = event.state;
    const scroll =
      typeof state === "object" && state !== null && "scroll" in state ? state.scroll : 0;
    requestAnimationFrame(() => scrollTo(0, typeof scroll === "number" ? scroll : 0));
  });
};
