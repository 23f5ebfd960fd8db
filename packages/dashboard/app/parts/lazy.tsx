// Parts of the page that are loaded when they are first shown. The first load stays small.
import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../answers/api.ts";
import { Problem, Skeleton } from "./answer.tsx";

/** A deployment may have replaced the files since this page was loaded. */
const missing = new ApiError(
  0,
  "part_missing",
  "A part of the page could not be loaded. Load the page again.",
  null,
);

/** `Meanwhile`: shown until then. */
export const lazy = <TProps extends object>(
  load: () => Promise<ComponentType<TProps>>,
  Meanwhile: () => JSX.Element | null = Skeleton,
): ((props: TProps) => JSX.Element) => {
  const part = signal<ComponentType<TProps> | ApiError | null>(null);
  const begin = async (): Promise<void> => {
    try {
      const Loaded = await load();
      part.value = Loaded;
    } catch (error) {
      console.debug("A part of the page could not be loaded.", error);
      part.value = missing;
    }
  };
  const Lazy = (props: TProps): JSX.Element => {
    useEffect(() => {
      if (typeof part.peek() !== "function") void begin();
    }, []);
    const Part = part.value;
    if (Part === null) return <Meanwhile />;
    return Part instanceof ApiError ? <Problem error={Part} /> : <Part {...props} />;
  };
  return Lazy;
};
