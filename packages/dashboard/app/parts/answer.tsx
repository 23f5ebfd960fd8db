// The frame around an answer: skeleton while it is on its way, a plain sentence if it cannot be had.
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { ApiError } from "../answers/api.ts";
import { isAway, type QueryState } from "../answers/query.ts";
import { WarnIcon } from "./icons.tsx";

export const Answer = <T,>({
  of,
  children,
}: {
  readonly of: ReadonlySignal<QueryState<T>>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element => {
  const { data, error } = of.value;
  // An answer that is old is better than none: the frame says that it is old.
  if (data !== undefined && (error === null || isAway(error))) return <>{children(data)}</>;
  if (error !== null) return <Problem error={error} />;
  return <Skeleton />;
};

export const Problem = ({ error }: { readonly error: ApiError }): JSX.Element => (
  <div class="problem" role="alert">
    <WarnIcon />
    <div>
      <strong>{problemTitle(error)}</strong>
      <p>{error.message}</p>
    </div>
  </div>
);

const problemTitle = ({ status }: ApiError): string => {
  if (status === 403) return "Not allowed";
  if (status === 404) return "Not found";
  if (status === 504) return "The store took too long";
  if (status === 400) return "This cannot be searched";
  if (status === 401) return "Signed out";
  return "No answer from the store";
};

export const Skeleton = (): JSX.Element => (
  <div class="skeleton" aria-hidden="true">
    <i />
    <i />
    <i />
    <i />
  </div>
);

/** A page or panel without content, as a sentence. */
export const Empty = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <p class="empty">{children}</p>
);
