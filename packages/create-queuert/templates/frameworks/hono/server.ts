import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openQueuert } from "./jobs/open-queuert.ts";
import { createWorker, signUp } from "./jobs/welcome.ts";

const { queuert, close } = await openQueuert();
await createWorker(queuert).start();
const app = new Hono();
app.post("/users", async (context) => {
  const { email } = await context.req.json<{ email: string }>();
  const { id } = await signUp(queuert, email);
  return context.json({ job: id });
});
const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000) });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Running jobs have 8 s.
  process.once(signal, () => server.close(() => void close()));
}
