// Why the job of a row is where it is, over the list: the key `e`.
import { signal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { shortId } from "../format.ts";
import { href, route } from "../router.ts";
import { Dialog } from "./dialog.tsx";
import { Explain } from "./explain.tsx";

/** The job that is explained; null: the dialog is closed. */
export const explainedId: Signal<string | null> = signal(null);

const close = (): void => {
  explainedId.value = null;
};

export const ExplainDialog = (): JSX.Element | null => {
  const id = explainedId.value;
  return id === null ? null : <OpenExplain key={id} id={id} />;
};

const OpenExplain = ({ id }: { readonly id: string }): JSX.Element => {
  // A link inside leads away from the list.
  useEffect(() => {
    const opened = route.peek();
    return route.subscribe((now) => {
      if (now !== opened) close();
    });
  }, []);
  return (
    <Dialog title={`Why ${shortId(id)}`} onClose={close}>
      <div class="dialog-body">
        <Explain id={id} isFinished={false} />
      </div>
      <footer class="dialog-foot">
        <a class="button" href={href("job", id)}>
          Open the job
        </a>
      </footer>
    </Dialog>
  );
};
