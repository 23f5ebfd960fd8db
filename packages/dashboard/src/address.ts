// The parts of an address that are the dashboard's own. A framework or a proxy may strip the mount point, or keep it. Nothing has
// to be configured: the API and the assets are found by the last occurrence of their folders.
import type { IncomingMessage } from "node:http";

const folders = ["/api/v1/", "/assets/"] as const;

/** A path below the mount point: `/api/v1/jobs`, `/assets/app.js`, or `/` for the page. */
export const ownPath = (pathname: string): string => {
  const [last] = folders
    .map((folder) => pathname.lastIndexOf(folder))
    .filter((index) => index >= 0)
    .sort((left, right) => right - left);
  return last === undefined ? "/" : pathname.slice(last);
};

/** A request to Express or Connect keeps its address here when a router strips its mount point. */
type MountedMessage = IncomingMessage & { readonly originalUrl?: unknown };

/** The path that the browser, or the last proxy, asked for. */
const visiblePath = (url: URL, incoming: MountedMessage | undefined): string => {
  const original = incoming?.originalUrl;
  return typeof original === "string" ? (original.split("?", 1)[0] ?? "") : url.pathname;
};

const safePrefix = /^(\/[\w.~-]+)+\/?$/;

/** Where the page finds its assets, or where it lies instead. */
export type PageAddress =
  | { readonly base: string }
  /** Relative to the address that was asked for, so that a stripped prefix stays. */
  | { readonly redirectTo: string };

/**
 * The address of the page. Its links are relative, and so its address ends with a slash. The first of these that is known tells
 * it: the option `basePath`, `X-Forwarded-Prefix`, the path that a framework keeps, the path itself.
 */
export const addressOf = (
  request: Request,
  basePath: string | undefined,
  incoming: IncomingMessage | undefined,
): PageAddress => {
  if (basePath !== undefined) return { base: withSlash(basePath) };
  const url = new URL(request.url);
  const path = visiblePath(url, incoming);
  const prefix = request.headers.get("x-forwarded-prefix") ?? "";
  if (safePrefix.test(prefix) && (path === "/" || safePrefix.test(path))) {
    return { base: withSlash(`${prefix.replace(/\/$/, "")}${path}`) };
  }
  if (path.endsWith("/")) return { base: "./" };
  const [name = ""] = path.split("/").slice(-1);
  return { redirectTo: `./${name}/${url.search}` };
};

const withSlash = (path: string): string => (path.endsWith("/") ? path : `${path}/`);
