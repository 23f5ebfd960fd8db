import type { StoreName } from "./store.ts";

const parameters: Readonly<Record<StoreName, string | null>> = {
  ...{ postgres: "application_name", mongodb: "appName", sqlite: null },
};

/** The URL that names the client to its server. */
export const withClientName = (store: StoreName, url: string, name: string): string => {
  const parameter = parameters[store];
  if (parameter === null) return url;
  // Not by URL: with several hosts it is none to the parser.
  return `${url}${url.includes("?") ? "&" : "?"}${parameter}=${name}`;
};
