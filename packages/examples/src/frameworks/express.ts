import express from "express";
import { openQueuert } from "./open-queuert.ts";

const { queuert, startMail, closeDatabase } = await openQueuert();
const app = express();
app.post("/mails", async (_request, response) => {
  response.json(await startMail());
});
const server = app.listen(Number(process.env["PORT"]));
process.once("SIGTERM", () => {
  server.close(async () => {
    await queuert.close(); // stops its workers: running jobs have 8 s
    await closeDatabase();
  });
});
