// The checks of one request to the API, in their order: its origin, the person, the right, the input. Then its answer.
import { createHash } from "node:crypto";
import type { Right } from "./api-types.ts";
import { assertNames, readBody } from "./api/read-input.ts";
import type { Call, Route, Server } from "./api/route.ts";
import { DashboardError, signInError } from "./dashboard-error.ts";
import type { Grant } from "./grant.ts";
import { readText } from "./read-text.ts";
import { assertSameSite } from "./same-site.ts";

export const answerRoute = async (
  server: Server,
  route: Route,
  request: Request,
  authorize: () => Promise<Grant | null>,
): Promise<Response> => {
  const isWrite = route.method === "POST";
  if (isWrite) assertSameSite(request);
  const grant = await authorize();
  if (grant === null) {
    throw signInError();
  }
  const query = new URL(request.url).searchParams;
  assertNames(query.keys(), isWrite ? [] : route.names);
  const body = isWrite ? readBody(await readText(request)) : {};
  assertNames(Object.keys(body), isWrite ? route.names : []);
  const call = callOf(server, grant, request, query, body);
  assertRight(grant, typeof route.right === "function" ? route.right(call) : route.right);
  const run = (): Promise<object> =>
    route.isSearch === true
      ? server.searches.run(grant.user, () => route.answer(call))
      : route.answer(call);
  const answer = await (isWrite ? written(server, run) : shared(call, route, run));
  if (answer instanceof Response) return answer;
  return isWrite ? Response.json(answer) : conditional(request, answer);
};

/** Many open pages cost the store as much as one. Shorter than the pauses of a page between two looks. */
const keptForMs = 1_000;

/** Equal reads at the same time, or right after each other, are one. Payloads are shown in the same way to all that share. */
const shared = (
  { answers, payloads, query }: Call,
  route: Route,
  run: () => Promise<object>,
): Promise<object> => {
  if (route.isOwn === true) return run();
  query.sort();
  return answers.get(`${payloads} ${route.path}?${query.toString()}`, keptForMs, run);
};

/** The next look shows the change. */
const written = async ({ answers }: Server, run: () => Promise<object>): Promise<object> => {
  try {
    return await run();
  } finally {
    answers.clear();
  }
};

const callOf = (
  server: Server,
  grant: Grant,
  { signal }: Request,
  query: URLSearchParams,
  body: Call["body"],
): Call => ({
  ...server,
  grant,
  payloads: grant.rights.has("payload") ? "redacted" : "masked",
  query,
  body,
  signal,
});

const assertRight = ({ rights }: Grant, right: Right): void => {
  if (rights.has(right)) return;
  throw new DashboardError(
    "QUEUERT_DASHBOARD_FORBIDDEN",
    `The request was refused: it needs the right "${right}", which \`authorize\` did not give.`,
  );
};

/** An answer that the page has already is not sent again. The time of the answer is not part of it. */
const conditional = (request: Request, answer: object): Response => {
  const { at, ...rest } = answer as { readonly at?: unknown };
  const etag = `"${createHash("sha1").update(JSON.stringify(rest)).digest("base64url")}"`;
  const headers = {
    etag,
    ...(at !== undefined && { "queuert-clock": JSON.parse(JSON.stringify(at)) as string }),
  };
  return request.headers.get("if-none-match") === etag
    ? new Response(null, { status: 304, headers })
    : Response.json(answer, { headers });
};
