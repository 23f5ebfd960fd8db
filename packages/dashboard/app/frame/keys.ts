// Keys of the page. They are off in fields and in dialogs, and can be switched off (WCAG 2.1.4).
import { signal, type Signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { keep, readKept } from "../answers/kept.ts";
import { href, navigate, type PageName } from "../router.ts";

interface Binding {
  readonly keys: string;
  readonly run: () => void;
}

/** The keys that the open page adds. The last page that was opened decides. */
const bindings = new Set<Binding>();

export const areKeysOn: Signal<boolean> = signal(readKept("keys") !== "off");

export const switchKeys = (): void => {
  areKeysOn.value = !areKeysOn.peek();
  keep("keys", areKeysOn.peek() ? "on" : "off");
};

/** Adds keys while a component is on the page: from the moment on that it can be seen, so that no key is lost. */
export const useKeys = (keys: Readonly<Record<string, () => void>>): void => {
  useLayoutEffect(() => {
    const own = Object.entries(keys).map(([name, run]) => ({ keys: name, run }));
    for (const binding of own) bindings.add(binding);
    return () => {
      for (const binding of own) bindings.delete(binding);
    };
  });
};

const goTo: Readonly<Record<string, PageName>> = {
  o: "overview",
  j: "jobs",
  f: "failures",
  t: "types",
  s: "schedules",
  l: "limits",
  w: "workers",
  a: "activity",
};

let isGoing = false;
let goTimer: ReturnType<typeof setTimeout> | undefined;

/** A checkbox takes the space bar only. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest("dialog") !== null ||
    target.matches("input:not([type=checkbox]), textarea, select"));

const press = (event: KeyboardEvent): void => {
  const { key } = event;
  if (!areKeysOn.peek() || isTyping(event)) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Space and Enter belong to the button that has the focus.
  if (key === "Enter" && event.target instanceof Element && event.target.closest("a,button"))
    return;
  if (isGoing) {
    isGoing = false;
    const page = goTo[key];
    if (page !== undefined) {
      event.preventDefault();
      navigate(href(page));
      return;
    }
  }
  if (key === "g") {
    isGoing = true;
    clearTimeout(goTimer);
    goTimer = setTimeout(() => (isGoing = false), 1_200);
    return;
  }
  const found = [...bindings].reverse().find(({ keys }) => keys === key);
  if (found === undefined) return;
  event.preventDefault();
  found.run();
};

export const startKeys = (): void => document.addEventListener("keydown", press);

/** For the help: each key with its meaning. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ["/", "Search"],
  ["g o", "Overview"],
  ["g j", "Jobs"],
  ["g f", "Failures"],
  ["g t", "Types"],
  ["g s", "Schedules"],
  ["g l", "Limits"],
  ["g w", "Workers"],
  ["g a", "Activity"],
  ["j  k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["x", "Choose the row"],
  ["e", "Explain the row"],
  ["r", "Retry"],
  [".", "Run now"],
  ["v", "Structure, time or list"],
  ["?", "This help"],
];
