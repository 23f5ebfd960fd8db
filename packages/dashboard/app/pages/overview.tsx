// The overview: first the types that need attention, then numbers.
import type { JSX } from "preact";
import type { OverviewAnswer } from "../../src/api-types.ts";
import { Charts } from "../charts/charts.tsx";
import { useQuery } from "../answers/query.ts";
import { can, has } from "../answers/session.ts";
import type { Attention as AttentionItem } from "../answers/types.ts";
import { counted, duration, rate, short } from "../format.ts";
import { overviewUrl } from "../frame/nav.tsx";
import { Answer } from "../parts/answer.tsx";
import { CheckIcon, CloseIcon, WarnIcon } from "../parts/icons.tsx";
import { type Pause, Pauses, Resume } from "../parts/pauses.tsx";
import { TypesTable } from "../parts/types-table.tsx";
import { useTitle } from "../parts/use-title.ts";
import { href } from "../router.ts";

const jobs = (q: string): string => href("jobs", "", { q });

export const OverviewPage = (): JSX.Element => {
  useTitle("Overview");
  const overview = useQuery<OverviewAnswer>(overviewUrl(), 3_000);
  return (
    <>
      <h1 class="sr">Overview</h1>
      <Answer of={overview}>
        {(data) => (
          <div class="stack">
            <Attention items={data.attention} pauses={data.pauses} />
            <Pauses of={data.pauses.filter((pause) => !isAmong(pause, data.attention))} />
            <Totals of={data} />
            {has("metrics") && <Charts type={null} />}
            <section class="panel" aria-labelledby="types-head">
              <header>
                <h2 id="types-head">Types</h2>
                <span class="muted">{counted(data.types.length, "type")}</span>
              </header>
              <TypesTable overview={data} />
            </section>
          </div>
        )}
      </Answer>
    </>
  );
};

/** A pause that keeps due jobs back is told once, with its jobs. */
const isAmong = ({ typeName }: Pause, items: readonly AttentionItem[]): boolean =>
  items.some((item) => item.kind === "paused" && item.typeName === typeName);

const Attention = ({
  items,
  pauses,
}: {
  readonly items: readonly AttentionItem[];
  readonly pauses: readonly Pause[];
}): JSX.Element => {
  if (items.length === 0) {
    return (
      <p class="all-well">
        <CheckIcon /> Nothing needs attention.
      </p>
    );
  }
  return (
    <section class="panel attention" aria-labelledby="attention-head">
      <header>
        <h2 id="attention-head">Needs attention</h2>
      </header>
      <ul>
        {items.map((item) => (
          <li key={`${item.kind} ${item.typeName}`} class={item.severity}>
            {item.severity === "error" ? <CloseIcon /> : <WarnIcon />}
            <span class="sr">{item.severity}: </span>
            <p>
              {item.typeName !== null && <b>{item.typeName}</b>} {withoutName(item)}
            </p>
            <div class="buttons">
              {pauses
                .filter((pause) => can("pause") && isAmong(pause, [item]))
                .map((pause) => (
                  <Resume key={pause.typeName} pause={pause} />
                ))}
              {item.kind === "blocked_by_failed" && (
                <a class="button" href={href("failures")}>
                  Show causes
                </a>
              )}
              <a class="button" href={jobs(item.filter)}>
                Show jobs
              </a>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The sentence without the type, which stands before it. */
const withoutName = ({ typeName, text }: AttentionItem): string => {
  const start = `${typeName ?? ""}: `;
  if (typeName === null || !text.startsWith(start)) return text;
  const rest = text.slice(start.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};

const Totals = ({ of }: { readonly of: OverviewAnswer }): JSX.Element => {
  const { totals, types, workers } = of;
  return (
    <section class="totals" aria-label="Totals">
      <Total
        label="Pending"
        value={short(totals.pending)}
        to={jobs("status:pending")}
        tone="pending"
      />
      <Total
        label="Blocked"
        value={short(totals.blocked)}
        to={jobs("status:blocked")}
        tone="blocked"
      />
      <Total
        label="Running"
        value={short(totals.running)}
        to={jobs("status:running")}
        tone="running"
      />
      <Total
        label="Failed"
        value={short(totals.failed)}
        to={href("failures")}
        tone={totals.failed > 0 ? "failed" : "pending"}
      />
      {has("metrics") && (
        <Total
          label="Done a minute"
          value={rate(types.reduce((sum, { recent }) => sum + (recent?.donePerMinute ?? 0), 0))}
          to={href("types")}
          tone="plain"
        />
      )}
      <Total
        label="Oldest due"
        value={totals.oldestDueMs === null ? "–" : duration(totals.oldestDueMs)}
        to={jobs("is:due")}
        tone="plain"
      />
      {workers !== null && (
        <Total
          label="Workers"
          value={short(workers.online)}
          note={[
            workers.late > 0 ? `${workers.late} late` : "",
            workers.gone > 0 ? `${workers.gone} gone` : "",
          ]
            .filter(Boolean)
            .join(", ")}
          to={href("workers")}
          tone="plain"
        />
      )}
    </section>
  );
};

const Total = ({
  label,
  value,
  note = "",
  to,
  tone,
}: {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  readonly to: string;
  readonly tone: string;
}): JSX.Element => (
  <a class="total" href={to}>
    <span>{label}</span>
    <strong class={tone === "failed" ? "tone-failed" : ""}>{value}</strong>
    {note !== "" && <small>{note}</small>}
  </a>
);
