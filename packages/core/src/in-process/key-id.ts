import type { LimitKeyReference } from "../adapters/state-adapter-limits.ts";

/** A key of a limit, as a text. */
export const keyId = ({ limitName, key }: LimitKeyReference): string =>
  JSON.stringify([limitName, key]);
