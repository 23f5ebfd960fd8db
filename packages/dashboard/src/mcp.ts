// The tools for agents at `mcp`, below the mount point. An agent is a person's program: it signs in by `authorize`, and has the
// rights of the person.
import type { AppliedAction, PlanAction, RedactOption, RedactTextOption } from "queuert/operator";
import { ownPath } from "./address.ts";
import type { DashboardOptions } from "./dashboard-options.ts";
import type { Grant } from "./grant.ts";
import { assertAgent } from "./same-site.ts";

/** The options that the dashboard gives to `createMcp`: its own, and the rights of the person behind the agent. */
export interface MountedMcpOptions {
  /** The client of the dashboard. */
  readonly queuert: object;
  /** The right `payload`. */
  readonly payloads: boolean;
  /** The right `logs`. */
  readonly logs: boolean;
  /** Those that the person has the right to. */
  readonly actions: readonly PlanAction[];
  /** The person, as `authorize` names them. */
  readonly user: string | undefined;
  /** That of the dashboard. */
  readonly redact: RedactOption | undefined;
  /** That of the dashboard. */
  readonly redactText: RedactTextOption | undefined;
  /** That of the dashboard. */
  readonly environment: string | undefined;
  /** That of the dashboard. */
  readonly secret: string | undefined;
  /** That of the dashboard. */
  readonly onAction: ((action: AppliedAction) => void) | undefined;
}

/** Creates the tools for one person, such as `createMcp` of `@queuert/mcp`. */
export type MountedMcp = (options: MountedMcpOptions) => {
  readonly fetch: (request: Request) => Promise<Response>;
};

/** Whether a request is for the tools. A browser that opens the address gets the page. */
export const isForMcp = (request: Request): boolean => {
  const { pathname } = new URL(request.url);
  if (ownPath(pathname) !== "/" || !/\/mcp\/?$/.test(pathname)) return false;
  const accepted = request.headers.get("accept") ?? "";
  return request.method !== "GET" || accepted.includes("text/event-stream");
};

const planActions: readonly PlanAction[] = ["retry", "trigger", "cancel", "delete"];
/** Persons whose tools are kept. A plan is applied by the tools that made it, unless there is a `secret`. */
const keptMax = 100;

/** Answers requests for the tools, with one set of tools for each person and their rights. */
export class McpMount {
  readonly #options: DashboardOptions;
  readonly #create: MountedMcp;
  readonly #kept = new Map<string, ReturnType<MountedMcp>>();

  constructor(options: DashboardOptions, create: MountedMcp) {
    this.#options = options;
    this.#create = create;
  }

  async answer(request: Request, grant: Grant): Promise<Response> {
    assertAgent(request);
    return this.#toolsOf(grant).fetch(request);
  }

  #toolsOf({ user, rights }: Grant): ReturnType<MountedMcp> {
    const name = JSON.stringify([user, [...rights].sort()]);
    const tools = this.#kept.get(name) ?? this.#toolsFor(user, rights);
    this.#kept.delete(name);
    this.#kept.set(name, tools);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) this.#kept.delete(oldest);
    return tools;
  }

  #toolsFor(user: string | null, rights: Grant["rights"]): ReturnType<MountedMcp> {
    const { queuert, redact, redactText, environment, secret, onAction } = this.#options;
    return this.#create({
      ...{ queuert, redact, redactText, environment, secret, onAction },
      payloads: rights.has("payload"),
      logs: rights.has("logs"),
      actions: planActions.filter((action) => rights.has(action)),
      user: user === null ? undefined : `${user} (mcp)`,
    });
  }
}
