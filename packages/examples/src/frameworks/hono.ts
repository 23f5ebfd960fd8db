import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openQueuert } from "./open-queuert.ts";

const { queuert, startMail, closeDatabase } = await openQueuert();
const app = new Hono();
app.post("/mails", async (context) => context.json(await startMail()));
const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"]) });
process.once("SIGTERM", () => {
  server.close(async () => {
    await queuert.close(); // stops its workers: running jobs have 8 s
    await closeDatabase();
  });
});
