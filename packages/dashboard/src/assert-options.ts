// Refuses wrong options when a dashboard is created, and not at its first request.
import { InvalidOptionError } from "queuert";
import { assertKnownOptions, assertName, assertObject } from "queuert/internal";
import { DashboardError } from "./dashboard-error.ts";
import type { DashboardOptions } from "./dashboard-options.ts";

const optionNames = [
  "queuert",
  "authorize",
  "allowOpen",
  "onUnauthorized",
  "readOnly",
  "redact",
  "redactText",
  "basePath",
  "environment",
  "storeName",
  "links",
  "traceUrl",
  "prometheus",
  "mcp",
  "frameAncestors",
  "secret",
  "examineStep",
  "onAction",
  "onError",
];

const functionNames = ["onUnauthorized", "links", "traceUrl", "mcp", "onError"] as const;
const textNames = ["environment", "storeName"] as const;

export const assertOptions = (options: DashboardOptions): void => {
  assertObject(options, "options");
  assertKnownOptions(options, optionNames);
  assertAuthorize(options);
  for (const name of functionNames) {
    const value = options[name];
    if (value !== undefined && typeof value !== "function") {
      throw new InvalidOptionError(name, value, "give a function");
    }
  }
  for (const name of textNames) if (options[name] !== undefined) assertName(options[name], name);
  const { basePath, frameAncestors } = options;
  if (basePath !== undefined && !/^\/([\w.~-]+\/?)*$/.test(basePath)) {
    throw new InvalidOptionError("basePath", basePath, "give a path such as `/queues/`");
  }
  if (frameAncestors !== undefined && !/^[^;,\r\n]+$/.test(frameAncestors)) {
    throw new InvalidOptionError(
      "frameAncestors",
      frameAncestors,
      "give sources such as `'self' https://admin.example.com`",
    );
  }
};

const assertAuthorize = ({ authorize, allowOpen = false }: DashboardOptions): void => {
  if (typeof authorize !== "function" && authorize !== "open") {
    throw new InvalidOptionError(
      "authorize",
      authorize,
      'give a function that returns the rights of a request, or "open" for all rights without a login',
    );
  }
  if (authorize === "open" && !allowOpen && process.env["NODE_ENV"] === "production") {
    throw new DashboardError(
      "QUEUERT_DASHBOARD_OPEN",
      'With `authorize: "open"` each visitor may do all, and NODE_ENV is "production". ' +
        "Give a function, or add `allowOpen: true` if only trusted people reach the address.",
    );
  }
};
