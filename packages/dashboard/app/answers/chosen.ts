// The rows that are chosen in a list. They survive refreshes, and end with the page.
import { signal, type Signal } from "@preact/signals";

export type Chosen = Signal<ReadonlySet<string>>;

export const createChosen = (): Chosen => signal<ReadonlySet<string>>(new Set());

export const toggle = (chosen: Chosen, id: string): void => {
  const ids = new Set(chosen.peek());
  if (!ids.delete(id)) ids.add(id);
  chosen.value = ids;
};
