const shared = globalThis as { stopWorker?: () => Promise<void> };

export const register = async () => {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { getQueuert } = await import("./lib/queuert");
  const { createWorker } = await import("./jobs/welcome");
  await shared.stopWorker?.(); // a reload in development: the worker of the old code
  const { queuert, close } = await getQueuert();
  shared.stopWorker = (await createWorker(queuert).start()).stop;
  process.once("SIGTERM", async () => {
    await close(); // stops its workers
    process.exit(0);
  });
};
