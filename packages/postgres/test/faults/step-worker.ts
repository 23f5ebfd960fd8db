// A worker in a process of its own, to be killed. Argument: the database's URL.
import { openClient, workOnSteps } from "./steps.ts";

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("usage: step-worker.ts <url>");
await workOnSteps(await openClient(url));
process.stdout.write("ready\n");
