// The title of the browser's tab.
import { useEffect } from "preact/hooks";
import { storeTitle } from "../answers/session.ts";

export const useTitle = (title: string): void => {
  const store = storeTitle.value;
  useEffect(() => {
    document.title = [title, store, "Queuert"].filter((part) => part !== "").join(" · ");
  }, [title, store]);
};
