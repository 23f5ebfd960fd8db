// The progress of a plan that is applied, and its result.
import type { JSX } from "preact";
import { count, counted, shortId } from "../format.ts";
import { CheckIcon, WarnIcon } from "../parts/icons.tsx";
import { InZone } from "../parts/time.tsx";
import { href } from "../router.ts";
import { openPlan } from "./open-plan.ts";
import type { RunState } from "./plan-run.ts";

export const Application = ({
  state,
  unit,
  timeZone,
  onStop,
}: {
  readonly state: RunState;
  readonly unit: string;
  /** Of a backfill. */
  readonly timeZone: string | undefined;
  readonly onStop: () => void;
}): JSX.Element => {
  const { phase, done, refused, total, message, pacePerMinute } = state;
  const isRunning = phase === "running" || phase === "stopping";
  const share = total === 0 ? 1 : Math.min(1, (done + refused) / total);
  return (
    <>
      <div class="dialog-body application" role="status">
        <div
          class="bar"
          role="progressbar"
          aria-label="Progress"
          aria-valuenow={done + refused}
          aria-valuemax={total}
        >
          <i style={{ width: `${share * 100}%` }} />
        </div>
        <p>
          {!isRunning && (phase === "finished" ? <CheckIcon /> : <WarnIcon />)}
          <b>{titles[phase]}</b> {count(done)} of {counted(total, unit)} done
          {refused > 0 && `, ${count(refused)} refused`}.
          {isRunning && pacePerMinute !== null && (
            <span class="muted"> {count(pacePerMinute)} a minute, while this page is open.</span>
          )}
        </p>
        {message !== null && <p class="tone-failed">{message}</p>}
        <RefusedJobs of={state} timeZone={timeZone} />
      </div>
      <footer class="dialog-foot">
        {isRunning ? (
          <button
            type="button"
            class="button danger"
            disabled={phase === "stopping"}
            onClick={onStop}
          >
            {phase === "stopping" ? "Stopping…" : "Stop"}
          </button>
        ) : (
          <button type="button" class="button main" onClick={() => (openPlan.value = null)}>
            Close
          </button>
        )}
      </footer>
    </>
  );
};

const titles: Readonly<Record<RunState["phase"], string>> = {
  running: "Working.",
  stopping: "Stopping after this step.",
  finished: "Finished.",
  stopped: "Stopped.",
  failed: "Not finished.",
};

const refusedShown = 20;

const RefusedJobs = ({
  of,
  timeZone,
}: {
  readonly of: RunState;
  readonly timeZone: string | undefined;
}): JSX.Element | null => {
  const { refusedJobs } = of;
  if (refusedJobs.length === 0) return null;
  return (
    <div class="refused">
      <h3>Refused</h3>
      <ul>
        {refusedJobs.slice(0, refusedShown).map(({ id, reason }) => (
          <li key={id}>
            {timeZone === undefined ? (
              <a class="mono" href={href("job", id)} onClick={() => (openPlan.value = null)}>
                {shortId(id)}
              </a>
            ) : (
              <InZone at={id} timeZone={timeZone} />
            )}{" "}
            {reason.replaceAll("_", " ")}
          </li>
        ))}
        {refusedJobs.length > refusedShown && (
          <li>{count(refusedJobs.length - refusedShown)} more</li>
        )}
      </ul>
    </div>
  );
};
