// Writes come from the page of the dashboard only: other sites that a signed-in person visits cannot cause one.
import { DashboardError } from "./dashboard-error.ts";

/**
 * Refuses a write that another site caused. Browsers name the relation of the sites on secure addresses. Elsewhere the origin
 * has to be that of the dashboard itself.
 */
export const assertSameSite = (request: Request): void => {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_CROSS_SITE",
      "The write was refused: its body is not JSON. Send it with the type application/json.",
    );
  }
  const site = request.headers.get("sec-fetch-site");
  if (site === null ? isOwnOrigin(request) : site === "same-origin") return;
  throw new DashboardError(
    "QUEUERT_DASHBOARD_CROSS_SITE",
    "The write was refused: it did not come from the page of the dashboard. Open the dashboard by its own address.",
  );
};

/** Refuses a request of an agent that a page of another site caused. Agents are no browsers, and name neither. */
export const assertAgent = (request: Request): void => {
  const { headers } = request;
  const site = headers.get("sec-fetch-site");
  const isOwn = site === null || site === "same-origin" || site === "none";
  if (isOwn && (headers.get("origin") === null || isOwnOrigin(request))) return;
  throw new DashboardError(
    "QUEUERT_DASHBOARD_CROSS_SITE",
    "The request was refused: a page of another site caused it. Agents call the address themselves.",
  );
};

/** A proxy may have changed the host. No site can set the header that names the host before it. */
const isOwnOrigin = ({ headers, url }: Request): boolean => {
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const hosts = [headers.get("x-forwarded-host"), headers.get("host"), new URL(url).host];
  return hosts.includes(new URL(origin).host);
};
