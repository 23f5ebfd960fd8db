import fastify from "fastify";
import { openQueuert } from "./jobs/open-queuert.ts";
import { createWorker, signUp } from "./jobs/welcome.ts";

const { queuert, close } = await openQueuert();
await createWorker(queuert).start();
const app = fastify();
app.post<{ Body: { email: string } }>("/users", async ({ body }) => {
  const { id } = await signUp(queuert, body.email);
  return { job: id };
});
app.addHook("onClose", close); // running jobs have 8 s
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void app.close());
await app.listen({ port: Number(process.env["PORT"] ?? 3000) });
