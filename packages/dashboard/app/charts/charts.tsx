// The charts of all types, or of one.
import type { JSX } from "preact";
import type { MetricsAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { count, duration, rate } from "../format.ts";
import { route, setParams } from "../router.ts";
import { Empty } from "../parts/answer.tsx";
import { Chart } from "./chart.tsx";
import { busiestLines, countLines, doneOf, durationLines, timesOf } from "./metrics-model.ts";

const ranges = ["1h", "3h", "24h", "30d"] as const;
type Range = (typeof ranges)[number];

const labels: Readonly<Record<Range, string>> = {
  "1h": "1 h",
  "3h": "3 h",
  "24h": "24 h",
  "30d": "30 d",
};

const rangeOf = (): Range =>
  ranges.find((range) => range === route.value.params.get("range")) ?? "1h";

/** `type`: null for all types. */
export const Charts = ({ type }: { readonly type: string | null }): JSX.Element | null => {
  const range = rangeOf();
  const { data } = useQuery<MetricsAnswer>(apiUrl("metrics", { type, range }), 15_000).value;
  return (
    <section aria-label="History">
      <div class="charts-head">
        <h2>History</h2>
        <div class="segments" role="group" aria-label="Period">
          {ranges.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={range === each}
              onClick={() => setParams({ range: each }, { replace: true })}
            >
              {labels[each]}
            </button>
          ))}
        </div>
      </div>
      <div class="charts">
        {data?.types.length === 0 && (
          <div class="panel">
            <Empty>No attempt ended in this period.</Empty>
          </div>
        )}
        {data !== undefined && data.types.length > 0 && (
          <>
            <Counts report={data} />
            {type === null ? <Busiest report={data} /> : <Durations report={data} />}
          </>
        )}
      </div>
    </section>
  );
};

const Counts = ({ report }: { readonly report: MetricsAnswer }): JSX.Element => {
  const done = report.types.reduce((total, type) => total + doneOf(type.total), 0);
  const failed = report.types.reduce((total, type) => total + type.total.failed, 0);
  return (
    <Chart
      title="Attempts a minute"
      summary={`${count(done)} done, ${count(failed)} failed in this period`}
      data={{
        times: timesOf(report),
        lines: countLines(report),
        isLogarithmic: false,
        format: rate,
      }}
    />
  );
};

const Busiest = ({ report }: { readonly report: MetricsAnswer }): JSX.Element => (
  <Chart
    title="Run time"
    summary="95 % of the attempts of the busiest types were faster"
    data={{
      times: timesOf(report),
      lines: busiestLines(report),
      isLogarithmic: true,
      format: duration,
    }}
  />
);

const Durations = ({ report }: { readonly report: MetricsAnswer }): JSX.Element => {
  const [type] = report.types;
  const times = timesOf(report);
  const run = type?.total.runMs;
  const wait = type?.total.waitMs;
  return (
    <>
      <Chart
        title="Run time"
        summary={
          run ? `half within ${duration(run.p50)}, 95 % within ${duration(run.p95)}` : "no attempt"
        }
        data={{
          times,
          lines: durationLines(report, "runMs"),
          isLogarithmic: true,
          format: duration,
        }}
      />
      <Chart
        title="Wait for a worker"
        summary={
          wait
            ? `half within ${duration(wait.p50)}, 95 % within ${duration(wait.p95)}`
            : "no attempt"
        }
        data={{
          times,
          lines: durationLines(report, "waitMs"),
          isLogarithmic: true,
          format: duration,
        }}
      />
    </>
  );
};
