// A dialog over the page. The browser keeps the focus inside, closes it on Escape, and gives the focus back.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CloseIcon } from "./icons.tsx";

export const Dialog = ({
  title,
  children,
  onClose,
  narrow = false,
  wide = false,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly narrow?: boolean;
  readonly wide?: boolean;
}): JSX.Element => {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      // A dialog that the browser closed has given the focus back already, and it may have moved on.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog${narrow ? " narrow" : ""}${wide ? " wide" : ""}`}
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current?.close();
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <button
            type="button"
            class="quiet"
            aria-label="Close"
            onClick={() => ref.current?.close()}
          >
            <CloseIcon />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
};
