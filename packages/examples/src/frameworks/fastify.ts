import fastify from "fastify";
import { openQueuert } from "./open-queuert.ts";

const { queuert, startMail, closeDatabase } = await openQueuert();
const app = fastify();
app.post("/mails", () => startMail());
app.addHook("onClose", async () => {
  await queuert.close(); // stops its workers: running jobs have 8 s
  await closeDatabase();
});
process.once("SIGTERM", () => void app.close());
await app.listen({ port: Number(process.env["PORT"]) });
