// A process with a worker: `npm run worker`. It ends in order on SIGTERM and Ctrl-C.
import { openQueuert } from "./open-queuert.ts";
import { createWorker } from "./welcome.ts";

const { queuert, close } = await openQueuert();
await createWorker(queuert).start();
console.log("the worker runs");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close());
