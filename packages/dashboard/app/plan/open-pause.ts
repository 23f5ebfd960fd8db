import { signal, type Signal } from "@preact/signals";

/** The target of a pause: a job type, every type (`null`), or a key of a limit. */
export type PauseTarget =
  { readonly typeName: string | null } | { readonly limitName: string; readonly key: string };

/** Null: the dialog is closed. */
export const openPause: Signal<PauseTarget | null> = signal(null);
