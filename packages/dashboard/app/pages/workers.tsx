// The workers of the last day.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { WorkersAnswer } from "../../src/api-types.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import type { Worker } from "../answers/types.ts";
import { quoted } from "../format.ts";
import { Answer, Empty } from "../parts/answer.tsx";
import { useTitle } from "../parts/use-title.ts";
import { Ago } from "../parts/time.tsx";
import { href } from "../router.ts";

export const WorkersPage = (): JSX.Element => {
  useTitle("Workers");
  const withStopped = useSignal(false);
  const answer = useQuery<WorkersAnswer>(apiUrl("workers"), 5_000);
  return (
    <>
      <div class="page-head">
        <h1>Workers</h1>
        <Answer of={answer}>{({ items }) => <Summary workers={items} />}</Answer>
        <span class="spring" />
        <label class="check muted">
          <input
            type="checkbox"
            checked={withStopped.value}
            onChange={() => (withStopped.value = !withStopped.peek())}
          />
          with stopped ones
        </label>
      </div>
      <section class="panel" aria-label="Workers">
        <Answer of={answer}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty>No worker has reported within the last day.</Empty>
            ) : (
              <WorkersTable workers={withStopped.value ? items : items.filter(isNotStopped)} />
            )
          }
        </Answer>
      </section>
    </>
  );
};

/** A worker that has said that it stops is not missed. */
export const isNotStopped = ({ state }: Worker): boolean => state !== "stopped";

const wordOf = ({ presence, state }: Worker): string =>
  state === "running" ? presence : presence === "gone" && state !== "stopped" ? "gone" : state;

const Summary = ({ workers }: { readonly workers: readonly Worker[] }): JSX.Element => {
  const counts = new Map<string, number>();
  for (const worker of workers) counts.set(wordOf(worker), (counts.get(wordOf(worker)) ?? 0) + 1);
  return (
    <span class="muted">
      {[...counts].map(([word, number]) => `${number} ${word}`).join(" · ")}
    </span>
  );
};

export const WorkersTable = ({ workers }: { readonly workers: readonly Worker[] }): JSX.Element => (
  <div class="scroll-x">
    <table class="rows cards">
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">State</th>
          <th scope="col">Started</th>
          <th scope="col">Busy</th>
          <th scope="col">Version</th>
          <th scope="col">Types</th>
          <th scope="col">Process</th>
          <th scope="col">Last report</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <WorkerRow key={worker.instanceId} worker={worker} />
        ))}
      </tbody>
    </table>
  </div>
);

const tones: Readonly<Record<string, string>> = {
  online: "good",
  late: "warn",
  gone: "bad",
  stopping: "warn",
};

const WorkerRow = ({ worker }: { readonly worker: Worker }): JSX.Element => {
  const { workerId, busy, concurrency, types, host, pid } = worker;
  const word = wordOf(worker);
  const isOver = word === "gone" || word === "stopped";
  return (
    <tr class={isOver ? "over" : ""}>
      <td class="nowrap">
        <a class="type-link" href={href("jobs", "", { q: `worker:${quoted(workerId)}` })}>
          {workerId}
        </a>
        {worker.isNameTaken && (
          <span class="tag warn" title="Two live workers have this name. Give each worker its own.">
            name used twice
          </span>
        )}
      </td>
      <td data-label="state" class="nowrap">
        <span class={`dot ${tones[word] ?? ""}`} aria-hidden="true" /> {word}
      </td>
      <td data-label="started" class="nowrap">
        <Ago at={worker.startedAt} />
      </td>
      <td data-label="busy" class="nowrap">
        {isOver ? (
          <span class="muted">–</span>
        ) : (
          <span class="slots">
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${concurrency === 0 ? 0 : (busy / concurrency) * 100}%` }} />
            </span>
            {busy} of {concurrency}
          </span>
        )}
      </td>
      <td data-label="version" class="nowrap">
        {worker.libraryVersion ?? <span class="muted">–</span>}
      </td>
      <td data-label="types" class="type-tags">
        {types.map(({ typeName, concurrency: own }) => (
          <a key={typeName} class="tag" href={href("type", typeName)}>
            {typeName}
            {own !== null && ` ×${own}`}
          </a>
        ))}
      </td>
      <td data-label="process" class="nowrap muted">
        {host} <span class="mono">{pid}</span>
      </td>
      <td data-label="reported" class="nowrap">
        <Ago at={worker.beatAt} />
      </td>
    </tr>
  );
};
