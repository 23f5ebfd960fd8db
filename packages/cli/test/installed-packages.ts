import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    "queuert:installed": string;
  }
}

/** The folder with the packages that `install-packages.ts` has built for this run. */
export const installedPackages = (): string => inject("queuert:installed");
