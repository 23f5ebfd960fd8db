// The metrics as a Prometheus server reads them, compared with the dashboard, the alert rules and the README.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { describe, expect, it, onTestFinished } from "vitest";
import { spanAttribute } from "../src/attributes.ts";
import { observeState } from "../src/index.ts";
import {
  counters,
  histograms,
  type InstrumentDefinition,
  stateGauges,
  upDownCounters,
} from "../src/instruments.ts";
import { openApp, payload, quick } from "./app.ts";
import { createSdk } from "./sdk.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

const toMetricName = ({ name }: InstrumentDefinition): string =>
  `queuert_${name.replaceAll(".", "_")}`;

/** The names of every series there can be, with the attributes of each. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.values(counters).map((one) => [`${toMetricName(one)}_total`, one.attributes] as const),
  ...Object.values(histograms).flatMap((one) =>
    ["bucket", "sum", "count"].map(
      (suffix) => [`${toMetricName(one)}_${suffix}`, [...one.attributes, "le"]] as const,
    ),
  ),
  ...[...Object.values(upDownCounters), ...Object.values(stateGauges)].map(
    (one) => [toMetricName(one), one.attributes] as const,
  ),
]);

const metricNamesIn = (text: string): readonly string[] => [
  ...new Set(text.match(/\bqueuert_[a-z_]+/g)),
];

/** Labels of `by (…)` and of selectors. */
const labelsIn = (query: string): readonly string[] => [
  ...[...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
  ...[...query.matchAll(/([a-zA-Z]+)\s*=~?"/g)].map(([, label = ""]) => label),
];

const expectKnown = (query: string): void => {
  const names = metricNamesIn(query);
  expect(names.length, query).toBeGreaterThan(0);
  for (const name of names) expect([...known.keys()], query).toContain(name);
  const attributes = new Set(names.flatMap((name) => known.get(name) ?? []));
  for (const label of labelsIn(query)) expect([...attributes], query).toContain(label);
};

/** Runs a job and reads the endpoint. */
const scrape = async (): Promise<string> => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meters = new MeterProvider({ readers: [exporter] });
  onTestFinished(() => meters.shutdown());
  // The exporter's own server has no way to take a free port.
  const server = createServer((request, response) =>
    exporter.getMetricsRequestHandler(request, response),
  );
  server.listen(0);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const sdk = { ...createSdk(), meter: meters.getMeter("queuert") };
  const { queuert, state, start, done } = await openApp({ sdk });
  const observation = observeState({ stateAdapter: state, meter: sdk.meter, intervalMs: 10 });
  onTestFinished(() => observation.stop());
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      retryConfig: { initialDelayMs: 1 },
      process: async ({ job, complete }) => {
        if (job.attempt === 1) throw new Error("once");
        return complete(payload);
      },
    })
    .start(quick);
  await done((await start()).id);
  await start("first");
  await expect.poll(() => observation.isAsking).toBe(true);
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const url = `http://localhost:${port}/metrics`;
  const fetchText = async (): Promise<string> => (await fetch(url)).text();
  const series = 'queuert_state_jobs{typeName="first",status="pending"';
  await expect.poll(fetchText, { timeout: 5_000 }).toContain(series);
  const text = await fetchText();
  await worker.stop();
  return text;
};

describe("a scraped endpoint", () => {
  it("has the names, types and labels of the table", async () => {
    const text = await scrape();
    const names = metricNamesIn(text.replaceAll(/^#.*$/gm, ""));
    for (const name of names) expect([...known.keys()]).toContain(name);
    expect(names.length).toBeGreaterThan(20);
    expect(text).toMatch(/^queuert_job_completed_total\{typeName="task"[^}]*\} 1$/m);
    expect(text).toMatch(/^# TYPE queuert_job_completed_total counter$/m);
    expect(text).toMatch(/^# TYPE queuert_job_type_idle gauge$/m);
    expect(text).toMatch(/^# UNIT queuert_job_duration ms$/m);
    expect(text).toMatch(/^queuert_job_duration_bucket\{.*le="604800000".*\} 1$/m);
    expect(text).toMatch(/^queuert_state_observed\{[^}]*\} 1$/m);
    expect(text).not.toContain(payload.secret);
  });
});

describe("the files beside the code", () => {
  it("are a dashboard whose queries name existing metrics", () => {
    const dashboard = JSON.parse(read("../dashboards/queuert.grafana.json")) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(15);
    for (const query of queries) expectKnown(query);
  });

  it("are alert rules whose queries name existing metrics", () => {
    const rules = read("../dashboards/queuert.alerts.yaml").split("- alert: ").slice(1);
    expect(rules.length).toBeGreaterThan(8);
    for (const rule of rules) {
      const [, query = ""] = /expr: \|?([^]*?)\n\s+(?:for|labels):/.exec(rule) ?? [];
      expectKnown(query);
    }
  });

  it("are a README with every instrument, its unit and its attributes, and every span attribute", () => {
    const readme = read("../README.md");
    const tables = [counters, histograms, upDownCounters, stateGauges];
    for (const definition of tables.flatMap((table) => Object.values(table))) {
      const { name, unit, attributes } = definition as InstrumentDefinition;
      const row = readme.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
      const [, , rowUnit, rowAttributes] = row?.split("|").map((cell) => cell.trim()) ?? [];
      expect(rowUnit, name).toBe(`\`${unit}\``);
      expect(rowAttributes, name).toBe(attributes.map((one) => `\`${one}\``).join(", "));
    }
    for (const attribute of Object.values(spanAttribute)) expect(readme).toContain(attribute);
  });
});
