// The keys of a limit, in pages: the use of each, whose turn it is, and its pause.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { LimitKeysAnswer } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { apiUrl } from "../answers/api.ts";
import { useQuery } from "../answers/query.ts";
import { can } from "../answers/session.ts";
import { count, duration, quoted } from "../format.ts";
import { openPause } from "../plan/open-pause.ts";
import { href, route, setParams } from "../router.ts";
import { Answer, Empty } from "./answer.tsx";
import { PauseIcon, PlayIcon } from "./icons.tsx";
import { boundsText, Use } from "./limits-table.tsx";
import { Ago } from "./time.tsx";

type Key = LimitKeysAnswer["items"][number];

const pageSize = 50;

export const LimitKeys = ({ limitName }: { readonly limitName: string }): JSX.Element => {
  const from = route.value.params.get("from") ?? "";
  const url = apiUrl("limit-keys", { limitName, fromKey: from, limit: pageSize });
  const answer = useQuery<LimitKeysAnswer>(url, 3_000);
  return (
    <section class="panel" aria-labelledby="keys-head">
      <header>
        <h2 id="keys-head">Keys</h2>
        <From key={from} from={from} />
      </header>
      <Answer of={answer}>
        {({ items, nextKey }) => (
          <>
            {items.length === 0 ? (
              <Empty>
                {from === ""
                  ? "No key of this limit has jobs that wait or run, bounds of its own, or a pause."
                  : "No key follows."}
              </Empty>
            ) : (
              <Keys limitName={limitName} keys={items} />
            )}
            <footer class="list-foot">
              <span>
                {count(items.length)} {items.length === 1 ? "key" : "keys"} shown
                {from !== "" && (
                  <>
                    , from <code>{from}</code>
                  </>
                )}
                {nextKey === null ? ". That is all." : "."}
              </span>
              {nextKey !== null && (
                <a class="button" href={href("limits", limitName, { from: nextKey })}>
                  Next keys
                </a>
              )}
              {from !== "" && <a href={href("limits", limitName)}>First keys</a>}
            </footer>
          </>
        )}
      </Answer>
    </section>
  );
};

/** Keys are in order, so a key is found by where the list begins. */
const From = ({ from }: { readonly from: string }): JSX.Element => {
  const text = useSignal(from);
  const submit = (event: Event): void => {
    event.preventDefault();
    setParams({ from: text.value.trim() });
  };
  return (
    <form class="from-key" onSubmit={submit}>
      <label class="muted" htmlFor="from-key">
        Begin at
      </label>
      <input
        id="from-key"
        class="field"
        maxLength={255}
        placeholder="a key, or its beginning"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
    </form>
  );
};

const Keys = ({
  limitName,
  keys,
}: {
  readonly limitName: string;
  readonly keys: readonly Key[];
}): JSX.Element => (
  <div class="scroll-x">
    <table class="rows cards">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Running</th>
          <th scope="col" class="number">
            Pending
          </th>
          <th scope="col">Next turn</th>
          <th scope="col">Bounds</th>
          <th scope="col">
            <span class="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((one) => (
          <KeyRow key={one.key} limitName={limitName} of={one} />
        ))}
      </tbody>
    </table>
  </div>
);

const KeyRow = ({
  limitName,
  of,
}: {
  readonly limitName: string;
  readonly of: Key;
}): JSX.Element => {
  const { key, running, pending, concurrency, hasOwnBounds, weight } = of;
  const q = `limit:${quoted(limitName)} limit-key:${quoted(key)}`;
  return (
    <tr>
      <td>
        <a class="type-link" href={href("jobs", "", { q: `${q} is:open` })}>
          {key}
        </a>
      </td>
      <td data-label="running" class="nowrap">
        <span class="slots">
          {concurrency !== null && <Use used={running} of={concurrency} />}
          {count(running)}
          {concurrency !== null && ` of ${count(concurrency)}`}
        </span>
      </td>
      <td data-label="pending" class={`number${pending === 0 ? " zero" : ""}`}>
        {pending === 0 ? (
          "–"
        ) : (
          <a class="plain-link" href={href("jobs", "", { q: `status:pending ${q}` })}>
            {count(pending)}
          </a>
        )}
      </td>
      <td data-label="next turn">
        <Turn of={of} />
      </td>
      <td data-label="bounds">
        {hasOwnBounds ? (
          <>
            {boundsText(of)}
            {weight > 1 && `, ${count(weight)} a turn`} <span class="tag">its own</span>
          </>
        ) : (
          <span class="muted">{boundsText(of)}</span>
        )}
      </td>
      <td>{can("pause") && <Buttons limitName={limitName} of={of} />}</td>
    </tr>
  );
};

const Turn = ({ of }: { readonly of: Key }): JSX.Element => {
  const { turn, pausedUntil, pauseNote, rate } = of;
  switch (turn) {
    case "paused":
      return (
        <>
          <span class="tag warn">
            <PauseIcon /> paused
          </span>{" "}
          {pausedUntil !== null && (
            <>
              ends <Ago at={pausedUntil} />{" "}
            </>
          )}
          {pauseNote !== null && <span class="muted">{pauseNote}</span>}
        </>
      );
    case "full":
      return <>when one of its jobs ends</>;
    case "no_tokens":
      return <>with its next token, one each {duration((rate?.perMs ?? 0) / (rate?.count ?? 1))}</>;
    case "waits":
      return <>when a worker has room</>;
    case "idle":
      return <span class="muted">no job waits</span>;
  }
};

const Buttons = ({
  limitName,
  of: { key, turn },
}: {
  readonly limitName: string;
  readonly of: Key;
}): JSX.Element => {
  const resume = (): void =>
    void act({ action: "resume_key", limitName, key }, `${key} runs again.`);
  return (
    <div class="buttons row-buttons">
      {turn === "paused" ? (
        <button type="button" class="button" onClick={resume} aria-label={`Resume ${key}`}>
          <PlayIcon /> Resume
        </button>
      ) : (
        <button
          type="button"
          class="button"
          onClick={() => (openPause.value = { limitName, key })}
          aria-label={`Pause ${key}`}
        >
          <PauseIcon /> Pause…
        </button>
      )}
    </div>
  );
};
