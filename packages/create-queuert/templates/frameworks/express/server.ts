import express from "express";
import { openQueuert } from "./jobs/open-queuert.ts";
import { createWorker, signUp } from "./jobs/welcome.ts";

const { queuert, close } = await openQueuert();
await createWorker(queuert).start();
const app = express();
app.use(express.json());
app.post("/users", (request, response, next) => {
  signUp(queuert, String(request.body.email)).then(({ id }) => response.json({ job: id }), next);
});
const server = app.listen(Number(process.env["PORT"] ?? 3000));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Running jobs have 8 s.
  process.once(signal, () => server.close(() => void close()));
}
