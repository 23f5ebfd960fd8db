import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

// Sources run as they are: tsx is a tool of the workspace, not of this package.
const root = fileURLToPath(new URL("../../../../package.json", import.meta.url));
const tsx = pathToFileURL(createRequire(root).resolve("tsx")).href;
const main = fileURLToPath(new URL("main.ts", import.meta.url));

it("prints metrics of the worker and one trace of both processes", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--no-warnings", "--conditions=@queuert/source", "--import", tsx, main],
    { timeout: 60_000 },
  );
  expect(stdout).toMatch(/^ {2}queuert_job_completed_total\{typeName="ship-order"\} 1$/m);
  expect(stdout).toMatch(/^ {2}queuert_state_observed 1$/m);
  expect(stdout).toMatch(/^POST \/orders +shop/m);
  expect(stdout).toMatch(/^ {2}start ship-order +shop/m);
  expect(stdout).toMatch(/^ {6}process charge-card +worker .*✕ the bank does not answer$/m);
  expect(stdout).toMatch(
    /^ {4}process ship-order +worker .*↝ start charge-card, start pack-order$/m,
  );
  expect(stdout).toMatch(/^ {6}process send-receipt +worker/m);
}, 60_000);
