// The options of a dashboard.
import type { IncomingMessage } from "node:http";
import type { AppliedAction, JobView, RedactOption, RedactTextOption } from "queuert/operator";
import type { Link } from "./api-types.ts";
import type { Authorization } from "./grant.ts";
import type { MountedMcp } from "./mcp.ts";

/** The rights of a request. `incoming` is that of Node, if `toNodeHandler` received it: frameworks put the user there. */
export type Authorize = (
  request: Request,
  incoming: IncomingMessage | undefined,
) => Authorization | Promise<Authorization>;

/** The options of `createDashboard`. */
export interface DashboardOptions {
  /** The client that `createQueuert` returned. */
  readonly queuert: object;
  /**
   * Gives the rights of each request: `"view"`, `"operate"`, `"admin"`, `{ user, rights }`, or null if the person is not signed
   * in. `"open"` in place of a function lets every request do all. It is refused in production without `allowOpen`.
   */
  readonly authorize: Authorize | "open";
  /** Admits `authorize: "open"` although `NODE_ENV` is `production`. Default: false. */
  readonly allowOpen?: boolean | undefined;
  /** Answers a request for the page without rights, such as by a redirect to a login. Default: status 401. */
  readonly onUnauthorized?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Refuses every write. Default: false. */
  readonly readOnly?: boolean | undefined;
  /**
   * Paths in payloads whose values are hidden, by job type; `*` is every type. Or a function that returns a payload as it may be
   * shown. Default: none but secret keys.
   */
  readonly redact?: RedactOption | undefined;
  /** Returns each error and each logged line as it may be shown. Default: they are shown whole. */
  readonly redactText?: RedactTextOption | undefined;
  /** Where the page is mounted, such as `/queues/`. Default: found from each request. */
  readonly basePath?: string | undefined;
  /** Shown beside the name of the store. `production` is shown in red. Default: none. */
  readonly environment?: string | undefined;
  /** The name of the store, such as `main`. Default: none. */
  readonly storeName?: string | undefined;
  /** Links beside a job, such as to the order that it is about. Default: none. */
  readonly links?: ((job: JobView) => readonly Link[]) | undefined;
  /** The address of a trace, as a link beside its jobs. Default: none. */
  readonly traceUrl?: ((traceId: string) => string) | undefined;
  /** Answers `GET api/v1/metrics.prom` with the numbers of the overview, as Prometheus reads them. Default: false. */
  readonly prometheus?: boolean | undefined;
  /**
   * Serves the tools for agents at `mcp`, below the mount point and behind `authorize`: `createMcp` of `@queuert/mcp`. They only
   * read, unless you add `allowWrites` to its options. Default: not served.
   */
  readonly mcp?: MountedMcp | undefined;
  /** The pages that may show the dashboard in a frame, such as `https://admin.example.com`. Default: `'none'`. */
  readonly frameAncestors?: string | undefined;
  /** Signs plans. Processes that share it apply each other's plans. Default: a random one. */
  readonly secret?: string | undefined;
  /** How many jobs one search looks at. Default: 100,000. */
  readonly examineStep?: number | undefined;
  /** Called after each applied plan, for an audit. Default: none. */
  readonly onAction?: ((action: AppliedAction) => void) | undefined;
  /** Called with errors of the store, which the page does not show. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}
