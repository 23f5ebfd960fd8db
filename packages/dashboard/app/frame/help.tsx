// The help: keys, and the words of the filter language.
import { signal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { session } from "../answers/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { areKeysOn, keyHelp, switchKeys } from "./keys.ts";

export const isHelpOpen: Signal<boolean> = signal(false);

export const Help = (): JSX.Element | null => {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog wide title="Help" onClose={() => (isHelpOpen.value = false)}>
      <div class="help">
        <section>
          <h3>Keys</h3>
          <label class="check">
            <input type="checkbox" checked={areKeysOn.value} onChange={switchKeys} /> Keys are on
          </label>
          <dl class="keys">
            {keyHelp.map(([keys, meaning]) => (
              <div key={keys}>
                <dt>
                  {keys
                    .split(" ")
                    .filter(Boolean)
                    .map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3>Filters</h3>
          <p class="muted">
            Terms are joined by “and”, values by commas with “or”. A minus before a term negates it.
            A word alone is an id, or a part of an input or an error.
          </p>
          <table class="plain">
            <tbody>
              {session.value?.terms.map(({ name, help, example, cost }) => (
                <tr key={name}>
                  <td>
                    <code>{example}</code>
                  </td>
                  <td>{help}</td>
                  <td class="muted">{cost}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </Dialog>
  );
};
