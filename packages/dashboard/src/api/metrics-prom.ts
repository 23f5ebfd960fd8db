// `GET metrics.prom`: the numbers of the overview in the text format of Prometheus. Completed jobs are not counted.
import type { Overview } from "queuert/operator";
import { DashboardError } from "../dashboard-error.ts";
import type { Call } from "./route.ts";

export const metricsProm = async ({ operator, options }: Call): Promise<Response> => {
  if (options.prometheus !== true) {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_NOT_FOUND",
      "The dashboard was created without `prometheus: true`.",
    );
  }
  return new Response(toText(await operator.getOverview()), {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
};

const statuses = ["pending", "blocked", "running", "failed"] as const;

const toText = ({ types, workers }: Overview): string => {
  const jobs = types.flatMap((type) =>
    statuses.map((status) => sample("queuert_jobs", { type: type.typeName, status }, type[status])),
  );
  const oldest = types.map(({ typeName, oldestDueMs }) =>
    sample("queuert_oldest_due_seconds", { type: typeName }, (oldestDueMs ?? 0) / 1_000),
  );
  const online = (["online", "late", "gone"] as const).flatMap((presence) =>
    workers === null ? [] : [sample("queuert_workers", { presence }, workers[presence])],
  );
  return [
    ...family("queuert_jobs", "Jobs by type and status. Completed jobs are not counted.", jobs),
    ...family("queuert_oldest_due_seconds", "For how long the oldest due job has waited.", oldest),
    ...family("queuert_workers", "Workers that have not stopped.", online),
    "",
  ].join("\n");
};

const family = (name: string, help: string, samples: readonly string[]): readonly string[] =>
  samples.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples];

const sample = (name: string, labels: Readonly<Record<string, string>>, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}{${pairs.join(",")}} ${value}`;
};

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
