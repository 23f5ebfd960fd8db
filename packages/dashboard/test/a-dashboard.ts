// A dashboard over a store in this process, and requests as its page sends them.
import {
  createInProcessStateAdapter,
  createQueuert,
  defineUnionJobTypes,
  type NotifyAdapter,
} from "queuert";
import { createDashboard, type Dashboard, type DashboardOptions } from "@queuert/dashboard";

/** Any job type: the tests give names as they need them. */
// oxlint-disable-next-line typescript/consistent-indexed-object-style -- a mapped type has no index signature to check
type AnyDefinitions = { [typeName: string]: { entry: true; input: unknown; output: unknown } };

export interface TestDashboard {
  readonly dashboard: Dashboard;
  readonly queuert: Awaited<ReturnType<typeof aClient>>;
  /** A GET of the API, with its answer. */
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  /** A POST of the API, as the page sends it. */
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  readonly start: (typeName: string, input: unknown, more?: object) => Promise<string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the answer. */
  readonly body: unknown;
}

type TestAdapter = ReturnType<typeof createInProcessStateAdapter>;

export const aClient = async (
  change: (adapter: TestAdapter) => TestAdapter = (same) => same,
  notifyAdapter?: NotifyAdapter,
) =>
  createQueuert({
    stateAdapter: change(createInProcessStateAdapter()),
    notifyAdapter,
    jobTypeDefinitions: defineUnionJobTypes<AnyDefinitions>(),
    log: () => {},
  });

export const origin = "https://app.example.com";

const toAnswer = async (response: Response): Promise<Answer> => {
  const type = response.headers.get("content-type") ?? "";
  // A stream of events has no end.
  const isStream = type === "text/event-stream";
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const isJson = type.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
  };
};

export const aDashboard = async (
  options: Partial<DashboardOptions> = {},
  change?: (adapter: TestAdapter) => TestAdapter,
): Promise<TestDashboard> => {
  const queuert = await aClient(change);
  const dashboard = createDashboard({
    queuert,
    authorize: () => ({ user: "ada", rights: "admin" }),
    onError: () => {},
    ...options,
  });
  const send = async (path: string, init: RequestInit): Promise<Answer> =>
    toAnswer(await dashboard.fetch(new Request(`${origin}/queues/${path}`, init)));
  return {
    dashboard,
    queuert,
    get: (path, headers = {}) => send(`api/v1/${path}`, { headers }),
    post: (path, body, headers = {}) =>
      send(`api/v1/${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          "content-type": "application/json",
          "sec-fetch-site": "same-origin",
          ...headers,
        },
      }),
    start: async (typeName, input, more = {}) => {
      const started = await queuert.startJobSequence({
        typeName,
        input,
        autocommit: true,
        ...more,
      });
      return started.id;
    },
  };
};
