// Light, dark, or as the system says.
import { effect, signal, type Signal } from "@preact/signals";
import { keep, readKept } from "../answers/kept.ts";

export type Theme = "system" | "light" | "dark";

const stored = (): Theme => {
  const value = readKept("theme");
  return value === "light" || value === "dark" ? value : "system";
};

export const theme: Signal<Theme> = signal(stored());

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
export const isDark: Signal<boolean> = signal(false);

export const startTheme = (): void => {
  const apply = (): void => {
    isDark.value = theme.value === "dark" || (theme.value === "system" && systemIsDark.matches);
    document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
  };
  effect(apply);
  systemIsDark.addEventListener("change", apply);
};

export const switchTheme = (): void => {
  theme.value = isDark.peek() ? "light" : "dark";
  keep("theme", theme.value);
};
