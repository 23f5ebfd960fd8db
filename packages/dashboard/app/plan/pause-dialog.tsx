// Pausing a type, every type, or a key of a limit: for how long, and why.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ActRequest } from "../../src/api-types.ts";
import { act } from "../answers/act.ts";
import { Dialog } from "../parts/dialog.tsx";
import { openPause, type PauseTarget } from "./open-pause.ts";

const minute = 60_000;
const lengths: readonly (readonly [string, number | null])[] = [
  ["Until it is resumed", null],
  ["15 minutes", 15 * minute],
  ["1 hour", 60 * minute],
  ["1 day", 24 * 60 * minute],
];

const nameOf = (target: PauseTarget): string | null =>
  "key" in target ? target.key : target.typeName;

export const PauseDialog = ({ target }: { readonly target: PauseTarget }): JSX.Element => {
  const name = nameOf(target);
  const note = useSignal("");
  const length = useSignal(0);
  const close = (): void => {
    openPause.value = null;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const forMs = lengths[length.value]?.[1] ?? null;
    const reason = note.value.trim();
    const settings = {
      ...(forMs !== null && { forMs }),
      ...(reason !== "" && { note: reason }),
    };
    const request: ActRequest =
      "key" in target
        ? { action: "pause_key", ...target, ...settings }
        : { action: "pause", ...target, ...settings };
    close();
    void act(request, name === null ? "All types are paused." : `${name} is paused.`);
  };
  return (
    <Dialog narrow title={name === null ? "Pause all types" : `Pause ${name}`} onClose={close}>
      <form onSubmit={submit}>
        <div class="dialog-body fields">
          <p class="muted">Jobs that run go on. No further job is acquired until the pause ends.</p>
          <label>
            For
            <select
              class="field"
              value={length.value}
              onChange={(event) => (length.value = Number(event.currentTarget.value))}
            >
              {lengths.map(([label], index) => (
                <option key={label} value={index}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label>
            Reason
            <input
              class="field"
              maxLength={200}
              placeholder="For colleagues, such as: provider incident 88"
              value={note.value}
              onInput={(event) => (note.value = event.currentTarget.value)}
            />
          </label>
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={close}>
            Close
          </button>
          <button type="submit" class="button main">
            Pause
          </button>
        </footer>
      </form>
    </Dialog>
  );
};
