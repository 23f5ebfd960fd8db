// A route of the API: its right, and its answer. The table of all routes is in `routes.ts`.
import type { ReadCache } from "queuert/internal";
import type { Operator, PayloadView } from "queuert/operator";
import type { Right } from "../api-types.ts";
import type { DashboardOptions } from "../dashboard-options.ts";
import type { Grant } from "../grant.ts";
import type { Searches } from "../searches.ts";
import type { Streams } from "../streams.ts";
import type { Applying } from "./applying.ts";

/** The parts that all requests share. */
export interface Server {
  readonly options: DashboardOptions;
  readonly operator: Operator;
  readonly searches: Searches;
  /** The plans that are being applied by this process. */
  readonly applying: Applying;
  /** Answers of a moment ago: many open pages ask for the same. */
  readonly answers: ReadCache;
  readonly streams: Streams;
}

/** One request that has passed all checks. */
export interface Call extends Server {
  readonly grant: Grant;
  /** How payloads are shown to this person. */
  readonly payloads: PayloadView;
  readonly query: URLSearchParams;
  /** The object that was sent; empty for a GET. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: "GET" | "POST";
  /** Below `api/v1/`. */
  readonly path: string;
  /** The names of the query, or of the body. Another one is refused. */
  readonly names: readonly string[];
  /** Needed besides `read`. A function for a route whose body names the action. */
  readonly right: Right | ((call: Call) => Right);
  /** It may look at many jobs. One person has a few of these at a time. */
  readonly isSearch?: boolean;
  /** The answer is about the person, or is a stream: it is not shared with other requests. */
  readonly isOwn?: boolean;
  /** A value is sent as JSON. */
  readonly answer: (call: Call) => Promise<object>;
}
