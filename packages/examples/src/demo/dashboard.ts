// The dashboard beside the demo: `pnpm demo --dashboard`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { serveDashboard } from "@queuert/dashboard";
import { say, yellow } from "./progress.ts";

const buildScript = fileURLToPath(
  new URL("../../../dashboard/scripts/build-app.mjs", import.meta.url),
);

/** Builds the page, serves it, and gives a person the time to open it. */
export const showDashboard = async (
  queuert: object,
): Promise<{ readonly untilStopped: () => Promise<void> }> => {
  const { status } = spawnSync(process.execPath, [buildScript], { stdio: "inherit" });
  if (status !== 0) throw new Error("The page of the dashboard could not be built.");
  const served = await serveDashboard({ queuert, port: 0, environment: "demo" });
  say(`Open the dashboard: ${served.link}`, yellow);
  return {
    untilStopped: async () => {
      say("The dashboard stays open until Ctrl-C", yellow);
      await new Promise((resolve) => process.once("SIGINT", resolve));
      await served.close();
    },
  };
};
