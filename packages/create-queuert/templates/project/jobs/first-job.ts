// Starts one job with a user, runs it, and ends: `npm run first-job`.
import { randomUUID } from "node:crypto";
import { openQueuert } from "./open-queuert.ts";
import { createWorker, signUp } from "./welcome.ts";

const { queuert, close } = await openQueuert();
await createWorker(queuert).start();
const { id, typeName } = await signUp(queuert, `ada-${randomUUID()}@example.com`);
await queuert.waitForJobSequenceCompletion({ id, typeName, timeoutMs: 10_000 });
console.log(`job ${id} is completed`);
await close();
