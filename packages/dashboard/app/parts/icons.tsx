// The icons of the page, drawn here so that nothing is loaded. 16 units square, in the colour of the text around them.
import type { ComponentChildren, JSX } from "preact";

const Icon = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    {children}
  </svg>
);

const line = (d: string): (() => JSX.Element) => {
  const Drawn = (): JSX.Element => (
    <Icon>
      <path class="stroke" d={d} />
    </Icon>
  );
  return Drawn;
};

export const SearchIcon: () => JSX.Element = line(
  "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4 14 14",
);
export const CopyIcon: () => JSX.Element = line("M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3");
export const CheckIcon: () => JSX.Element = line("M3 8.5 6.5 12 13 4.5");
export const CloseIcon: () => JSX.Element = line("M4 4l8 8M12 4l-8 8");
export const RetryIcon: () => JSX.Element = line("M13 3v3.5H9.5M12.7 6.3A5 5 0 1 0 13 9");
export const PlayIcon: () => JSX.Element = line("M5 3.5v9l7-4.5z");
export const PauseIcon: () => JSX.Element = line("M5.5 3.5v9M10.5 3.5v9");
export const TrashIcon: () => JSX.Element = line("M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9");
export const CancelIcon: () => JSX.Element = line("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM4 12l8-8");
export const BackIcon: () => JSX.Element = line("M9.5 3.5 5 8l4.5 4.5");
export const MoonIcon: () => JSX.Element = line(
  "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
);
export const SunIcon: () => JSX.Element = line(
  "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
);
export const HelpIcon: () => JSX.Element = line(
  "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.4A1.8 1.8 0 1 1 8.6 8c-.4.2-.6.5-.6 1v.3M8 11.3v.2",
);
export const LinkIcon: () => JSX.Element = line("M6.5 3.5h-3v9h9v-3M9.5 3h3.5v3.5M13 3 7.5 8.5");
export const HomeIcon: () => JSX.Element = line("M2.5 7.5 8 3l5.5 4.5M4 6.5v6.5h8V6.5");
export const ListIcon: () => JSX.Element = line("M3 4.5h10M3 8h10M3 11.5h10");
export const MoreIcon = (): JSX.Element => (
  <Icon>
    <circle class="fill" cx="3.5" cy="8" r="1.4" />
    <circle class="fill" cx="8" cy="8" r="1.4" />
    <circle class="fill" cx="12.5" cy="8" r="1.4" />
  </Icon>
);
export const WarnIcon: () => JSX.Element = line("M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2");
