// How long the server takes for each request of the page, in a store with a long history. Each request is sent to a dashboard of
// its own, so that no answer is kept from the last one. From the root of the repository:
// `pnpm --filter @queuert/dashboard bench:latency --store postgres --jobs 1000000`
import { createDashboard } from "@queuert/dashboard";
import { parseArgs } from "node:util";
import { type FilledStore, fill } from "./fill.ts";
import { type StoreName, stores } from "./stores.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "postgres" },
    jobs: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "20" },
  },
});
const jobCount = Number(values.jobs);
const rounds = Number(values.rounds);

interface Request {
  readonly page: string;
  readonly path: string;
  readonly body?: object;
}

const q = (filter: string): string => `jobs?q=${encodeURIComponent(filter)}&limit=50`;

const requests = ({ ids }: Pick<FilledStore, "ids">): readonly Request[] => {
  const now = Date.now();
  const day = (ago: number): string => new Date(now - ago * 86_400_000).toISOString();
  return [
    { page: "Overview", path: "overview" },
    { page: "Overview, 24 h of history", path: "metrics?range=24h" },
    { page: "Jobs, the newest", path: "jobs?limit=50" },
    { page: "Jobs of a common type", path: q("type:send-mail") },
    { page: "Jobs of a type of 1 in 1,000", path: q("type:nightly-report") },
    { page: "Jobs of a type that no job has", path: q("type:absent") },
    { page: "Jobs that failed", path: q("status:failed") },
    { page: "Jobs that are due", path: q("is:due") },
    { page: "Jobs that are blocked", path: q("status:blocked") },
    { page: "Jobs of an hour 5 days ago", path: q(`since:${day(5)} until:${day(4.96)}`) },
    { page: "Jobs by the beginning of an id", path: q(`id:${ids.due.slice(0, 8)}`) },
    { page: "Jobs by a text of the input", path: q('input:"no-such-text"') },
    { page: "Jobs by a value of the input", path: q('input.to:"nobody@example.com"') },
    { page: "Sequences, the newest", path: "sequences?limit=50" },
    { page: "A job", path: `job?id=${ids.blocked}` },
    { page: "Why a blocked job waits", path: `explain?id=${ids.blocked}` },
    { page: "Why a due job waits", path: `explain?id=${ids.due}` },
    { page: "A tree of 201 jobs", path: `tree?sequence=${ids.album}` },
    { page: "Failures", path: "failures" },
    { page: "A type", path: "type?name=charge-card" },
    { page: "Workers", path: "workers" },
    { page: "Schedules", path: "schedules" },
    { page: "A schedule with its ticks", path: "schedule?name=nightly" },
    { page: "Keys of a limit", path: "limit-keys?limitName=crm-api" },
    { page: "Jobs of a key", path: q("limit:crm-api limit-key:customer-7") },
    { page: "Activity", path: "actions?limit=200" },
    {
      page: "A plan of a retry of all that failed",
      path: "plans",
      body: { action: "retry", filter: "status:failed" },
    },
  ];
};

const origin = "https://app.example.com";

const answerMs = async ({ shop }: FilledStore, { path, body }: Request): Promise<number> => {
  const dashboard = createDashboard({ queuert: shop, authorize: () => "admin" });
  const request = new Request(`${origin}/queues/api/v1/${path}`, {
    ...(body !== undefined && {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    }),
  });
  const begun = performance.now();
  const response = await dashboard.fetch(request);
  const text = await response.text();
  const tookMs = performance.now() - begun;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return tookMs;
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const shown = (ms: number): string => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));

const storeName = values.store as StoreName;
const store = await stores[storeName]();
const begun = performance.now();
const filled = await fill(store, {
  completed: jobCount,
  scheduled: jobCount / 50,
  due: jobCount / 100,
  keyed: jobCount / 100,
  orders: Math.min(2_000, jobCount / 500),
});
console.log(`${storeName}: filled in ${Math.round((performance.now() - begun) / 1_000)} s`);
console.log("| request | p50 ms | p95 ms |\n|---|---:|---:|");
for (const request of requests(filled)) {
  const times: number[] = [];
  await answerMs(filled, request);
  for (let round = 0; round < rounds; round++) times.push(await answerMs(filled, request));
  times.sort((left, right) => left - right);
  console.log(
    `| ${request.page} | ${shown(percentile(times, 0.5))} | ${shown(percentile(times, 0.95))} |`,
  );
}
await filled.shop.close();
await store.close();
